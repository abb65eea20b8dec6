// SPDX-License-Identifier: Apache-2.0
// What a stranger's file says is quoted in messages: a little of it, and nothing that a terminal would take for a command.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <situ/io/npy.hpp>
#include <situ/io/safetensors.hpp>
#include <situ/io/safetensors_index.hpp>

#include "../reference.hpp"

using namespace situ;
using reference::contains;
using reference::message_of;

namespace {

std::string npy_with(const std::string& dictionary) {
  std::string text = dictionary;
  text += std::string(64 - (10 + text.size() + 1) % 64, ' ') + "\n";
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(text.size() & 0xff) + static_cast<char>(text.size() >> 8) + text + "1234";
}
std::string safetensors_with(const std::string& header) {
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(header.size() >> (8 * i) & 0xff);
  return length + header;
}
std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

TEST_CASE("messages quote a little of a file, and no control characters") {
  const std::string escape = "\x1b[31m\x7f\xc2\x9b", written = "\\u001b[31m\\u007f\\u009b";  // as such, and as JSON has it
  for (const std::size_t length : {std::size_t{2}, std::size_t{4000}}) {
    const std::string more(length, 't');
    const auto index = [](const std::string& text) { static_cast<void>(internal::io::parse_safetensors_index(text, "i")); };
    const auto offsets = [](const std::string& text) { static_cast<void>(internal::io::parse_saved_offsets(text, "o")); };
    const auto npy = [](const std::string& text) { static_cast<void>(load_npy<float>(bytes_of(npy_with(text)))); };
    const auto safetensors = [](const std::string& text) {
      static_cast<void>(load_safetensors(bytes_of(safetensors_with(text))));
    };
    const std::vector<std::pair<const char*, std::function<void()>>> readings = {
        {"index, no JSON", [&] { index("{\"weight_map\": " + more + escape + "}"); }},
        {"index, a string without an end", [&] { index("{\"" + more + escape); }},
        {"index, a name twice", [&] { index("{\"" + written + more + "\": 1, \"" + written + more + "\": 1}"); }},
        {"index, a file's name", [&] { index("{\"weight_map\": {\"w\": \"" + written + more + "\"}}"); }},
        {"index, pieces of none",
         [&] { index("{\"weight_map\": {}, \"metadata\": {\"pieces\": {\"" + written + more + "\": []}}}"); }},
        {"offsets, no JSON", [&] { offsets(more + escape); }},
        {"offsets, a name twice", [&] { offsets("{\"" + written + more + "\": 1, \"" + written + more + "\": 1}"); }},
        {"npy, a key", [&] { npy("{'" + escape + more + "': 1}"); }},
        {"npy, a type", [&] { npy("{'descr': '" + escape + more + "', 'fortran_order': False, 'shape': (1,)}"); }},
        {"safetensors, a name", [&] { safetensors("{\"" + written + more + "\": 1}"); }},
        {"safetensors, a string", [&] { safetensors("{\"w\": \"" + written + more + "\"}"); }},
        {"safetensors, a type",
         [&] { safetensors("{\"w\": {\"dtype\": \"" + written + more + "\", \"shape\": [], \"data_offsets\": [0, 0]}}"); }},
        {"safetensors, no JSON", [&] { safetensors("{" + more + escape); }},
    };
    for (const auto& [what, read] : readings) {
      const std::string case_of = what;
      CAPTURE(case_of);
      CAPTURE(length);
      std::string message;
      try {
        read();
      } catch (const FileError& error) {
        message = error.what();
      }
      CHECK(!message.empty());
      CHECK(message.size() <= 1000);
      CHECK(std::none_of(message.begin(), message.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }));
      CHECK(!contains(message, "\xc2\x9b"));
    }
  }
  CHECK(internal::io::in_quotes("a\nb\x1b\x7f\xc2\x9b\xc3\xa9") == "'a\\x0ab\\x1b\\x7f\xc2\\x9b\xc3\xa9'");
  CHECK(internal::io::in_quotes(std::string(81, 'x')) == "'" + std::string(80, 'x') + "...'");
}

TEST_CASE("an index names only files that it can be read with") {
  for (const char* file : {"../a", "a/b", "a\\b", "C:a", "..", "", "a\nb", "a\x7f"}) {
    CHECK_THROWS_AS(static_cast<void>(internal::io::safetensors_index_text({4, "", {{"w", {file}}}})), ValueError);
  }
  CHECK_THROWS_AS(static_cast<void>(internal::io::safetensors_index_text({4, "", {{"w", {std::string(256, 'x')}}}})), ValueError);
  CHECK(internal::io::parse_safetensors_index(
            internal::io::safetensors_index_text({4, "", {{"w", {std::string(255, 'x')}}}}), "i").files.at("w")[0].size() == 255);
}

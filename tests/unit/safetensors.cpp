// SPDX-License-Identifier: Apache-2.0
// .safetensors files: round trips, what the reference implementation accepts, and malformed files with the kind of
// error and the memory each may take. The malformed ones follow the tests of the reference implementation (tensor.rs,
// test_pread_backend.py, test_null_byte_injection.py, attacks/) and of other readers; bytes are made here.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <situ/complex.hpp>
#include <situ/io/safetensors.hpp>
#include <situ/ops/creation.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"
#include "../temporary_files.hpp"

using namespace situ;
using reference::contains;
using reference::message_of;
using namespace std::string_literals;

namespace {

using temporary_files::TemporaryFile;
using temporary_files::content_of;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string length_of(std::uint64_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>((length >> (8 * i)) & 0xff);
  return bytes;
}
std::string file_of(const std::string& header, const std::string& data = "") {
  return length_of(header.size()) + header + data;
}
/// An entry of a header, of elements U8.
std::string entry(const std::string& name, const std::string& shape, const std::string& offsets,
                  const std::string& type = "\"U8\"") {
  return "\"" + name + "\":{\"dtype\":" + type + ",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}
std::string file_with(const std::string& shape, const std::string& offsets, const std::string& data,
                      const std::string& type = "\"U8\"") {
  return file_of("{" + entry("a", shape, offsets, type) + "}", data);
}

/// What loading throws, and whether tensors took no more memory than the file has bytes.
FileErrorKind kind_of(const std::string& file) {
  empty_cache<Cpu>();
  reset_peak_memory<Cpu>();
  const std::size_t before = memory_stats<Cpu>().peak;
  try {
    static_cast<void>(load_safetensors(bytes_of(file)));
  } catch (const FileError& error) {
    CHECK(memory_stats<Cpu>().peak - before <= file.size() + 64);
    CHECK(contains(error.what(), "safetensors"));
    CHECK(std::string(error.what()).size() < 400);
    return error.kind();
  }
  FAIL("loaded: " << file.substr(0, 200));
  return {};
}

template <class T>
std::vector<T> values(const AnyTensor<>& any) {
  const Tensor<T, Cpu>& tensor = any.get<T>();
  return {tensor.begin(), tensor.end()};
}

}  // namespace

TEST_CASE("tensors of all types and shapes come back from their file") {
  const TemporaryFile file;
  NamedTensors<> tensors;
  const auto add = [&]<class T>(std::type_identity<T>) {
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{5}, Shape{2, 3}, Shape{3, 0, 2}}) {
      tensors[std::string(dtype_name<T>()) + shape.to_string()] =
          Tensor<T, Cpu>(reshape(cast<T>(arange<std::int32_t>(static_cast<std::int32_t>(shape.count()))), shape));
    }
  };
  for (const ElementType type :
       {ElementType::float32, ElementType::float64, ElementType::float16, ElementType::bfloat16, ElementType::int64,
        ElementType::int32, ElementType::uint8, ElementType::boolean}) {
    visit_element_type(type, add);
  }
  save_safetensors(file.path, tensors, {{"format", "pt"}, {"a \"note\"", "line\nline"}});
  const NamedTensors<> loaded = load_safetensors(file.path);
  CHECK(loaded.size() == 40);
  for (const auto& item : tensors) {
    const std::string& name = item.first;
    const AnyTensor<>& expected = item.second;
    CAPTURE(name);
    const AnyTensor<>& found = loaded.at(name);
    CHECK(found.type() == expected.type());
    CHECK(found.shape() == expected.shape());
    expected.visit([&]<class T>(const Tensor<T, Cpu>&) { CHECK(values<T>(found) == values<T>(expected)); });
  }
  const internal::io::SafetensorsArchive archive{internal::io::Input(file.path)};
  CHECK(archive.metadata() == std::map<std::string, std::string>{{"format", "pt"}, {"a \"note\"", "line\nline"}});
  for (const auto& item : archive.entries()) CHECK(item.second.position % element_size(item.second.type) == 0);
}

TEST_CASE("the bytes of a file are those that the format asks for; larger elements come first, then the names decide") {
  const TemporaryFile file;
  const Tensor<float> x = transpose(reshape(arange<float>(2), {1, 2}));
  save_safetensors(file.path, NamedTensors<>{{"b", ones<std::uint8_t>({1})}, {"z", x}, {"a", x}});
  const std::string header = "{" + entry("a", "[2,1]", "[0,8]", "\"F32\"") + "," +
                             entry("z", "[2,1]", "[8,16]", "\"F32\"") + "," + entry("b", "[1]", "[16,17]") + "}";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  const std::string two = "\0\0\0\0\0\0\x80\x3f"s;
  CHECK(content_of(file.path) == file_of(padded, two + two + "\1"));
}

TEST_CASE("names are any text but for zeros; what the format cannot hold is refused") {
  const TemporaryFile file;
  for (const std::string name : {"", "a.b", "\"quoted\" \\ \n\t", "\xc3\xa9\xe2\x82\xac"}) {
    save_safetensors(file.path, NamedTensors<>{{name, ones<float>({1})}});
    CHECK(load_safetensors(file.path).contains(name));
  }
  for (const std::string& name : {"\xff"s, "a\0b"s, "__metadata__"s}) {
    CHECK_THROWS_AS(save_safetensors(file.path, NamedTensors<>{{name, ones<float>({1})}}), ValueError);
  }
  CHECK(load_safetensors(file.path).contains("\xc3\xa9\xe2\x82\xac"));  // the file stayed
}

TEST_CASE("complex elements, for which the format has no name, are refused before a file is opened") {
  const TemporaryFile file;
  const NamedTensors<> tensors{{"z", zeros<std::complex<float>>({2})}};
  CHECK(contains(message_of([&] { save_safetensors(file.path, tensors); }),
                 "tensor 'z' has elements of type complex64, which .safetensors files cannot hold"));
  CHECK_THROWS_AS(save_safetensors(file.path, tensors), ValueError);
  CHECK(!std::filesystem::exists(file.path));
}

TEST_CASE("what the reference implementation accepts") {
  CHECK(load_safetensors(bytes_of(file_of("{}"))).empty());
  CHECK(load_safetensors(bytes_of(file_of("{\"__metadata__\":{}}"))).empty());
  for (const std::string& around : {"\n\t "s, "    "s}) {
    const NamedTensors<> tensors =
        load_safetensors(bytes_of(file_of(around + "{" + entry("a", "[]", "[0,1]") + "}" + around, "\7")));
    CHECK(values<std::uint8_t>(tensors.at("a")) == std::vector<std::uint8_t>{7});
    CHECK(tensors.at("a").shape() == Shape{});
  }
  CHECK(load_safetensors(bytes_of(file_with("[2,0]", "[0,0]", ""))).at("a").shape() == Shape{2, 0});
  // empty tensors anywhere, entries in any order, escaped names, odd positions
  const std::string several = "{" + entry("c", "[1]", "[3,7]", "\"F32\"") + "," + entry("\\u00e9\\n", "[3]", "[0,3]") +
                              "," + entry("e", "[0]", "[3,3]", "\"I64\"") + "," + entry("f", "[0]", "[7,7]") + "}";
  const NamedTensors<> tensors = load_safetensors(bytes_of(file_of(several, "\1\2\3\0\0\x80\x3f"s)));
  CHECK(values<float>(tensors.at("c")) == std::vector<float>{1});
  CHECK(values<std::uint8_t>(tensors.at("\xc3\xa9\n")) == std::vector<std::uint8_t>{1, 2, 3});
}

TEST_CASE("lengths of the header that are not true") {
  for (std::size_t length = 0; length < 8; ++length)
    CHECK(kind_of(std::string(length, '\2')) == FileErrorKind::truncated);
  CHECK(kind_of("\x3c\xff\xff\xff\xff\xff\xff\xff{}"s) == FileErrorKind::not_this_format);
  CHECK(kind_of(length_of(std::uint64_t(0) - 8) + "{}") == FileErrorKind::not_this_format);  // 8 + length wraps to 0
  CHECK(kind_of(length_of(100'000'001) + "{}") == FileErrorKind::not_this_format);
  CHECK(kind_of("PK\3\4, an archive"s) == FileErrorKind::not_this_format);
  CHECK(kind_of(length_of(100'000'000) + "{}") == FileErrorKind::truncated);
  CHECK(kind_of(length_of(60) + "{}") == FileErrorKind::truncated);
  CHECK(kind_of(length_of(3) + "{}") == FileErrorKind::truncated);
  CHECK(kind_of(length_of(0)) == FileErrorKind::malformed);
  CHECK(kind_of(length_of(1) + "{}") == FileErrorKind::malformed);
}

TEST_CASE("headers that are no JSON, or another") {
  const std::string good = entry("a", "[1]", "[0,1]");
  const std::string meta = "\"__metadata__\":";
  for (const std::string& header :
       {""s,
        " "s,
        "null"s,
        "[]"s,
        "1"s,
        "\"a\""s,
        "{"s,
        "{]"s,
        "{\"a\"}"s,
        "{\"a\":}"s,
        "{a:1}"s,
        "{'a':1}"s,
        "{,}"s,
        "{" + good,
        "{" + good + ",}",
        "{" + good + "}}",
        "{" + good + "} x",
        "{" + good + "}\0\0"s,
        "{" + good + "}{}",
        "\xef\xbb\xbf{" + good + "}",
        "{" + good + "/**/}",
        "[{" + good + "}]",  // a mark, a comment
        "{\"a\":null}"s,
        "{\"a\":1}"s,
        "{\"a\":\"U8\"}"s,
        "{\"a\":[]}"s,
        "{\"a\":true}"s,
        "{\"a\":{}}"s,  // no entries
        "{\"a\xff\":" + good.substr(4) + "}",
        "{\"a\xc3\":" + good.substr(4) + "}",
        "{\"\xed\xa0\x80\":{}}"s,  // UTF-8
        "{\"a\\ud800\":" + good.substr(4) + "}",
        "{\"a\n\":" + good.substr(4) + "}",
        "{\"a\\u0000b\":" + good.substr(4) + "}",
        "{\"a\0b\":"s + good.substr(4) + "}",  // zeros
        "{" + good + "," + good + "}",
        "{" + good + ",\"\\u0061\":" + good.substr(4) + "}",  // twice
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}"s,
        "{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}"s,
        "{\"a\":{\"shape\":[1],\"data_offsets\":[0,1]}}"s,
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"more\":1}}"s,
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"shape\":[1]}}"s,
        "{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}"s,
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"data_offsets\":[0,1]}}"s,
        "{\"a\":{\"dtype\":{},\"shape\":[1],\"data_offsets\":[0,1]}}"s,
        "{" + meta + "null," + good + "}",
        "{" + meta + "[]," + good + "}",
        "{" + meta + "\"x\"," + good + "}",
        "{" + meta + "{\"x\":1}," + good + "}",
        "{" + meta + "{\"x\":null}," + good + "}",
        "{" + meta + "{\"x\":{}}," + good + "}",
        "{" + meta + "{\"x\":\"1\",\"x\":\"2\"}," + good + "}",
        "{" + meta + "{}," + meta + "{}," + good + "}",
        "{" + meta + "{},\"\\u005f_metadata__\":{}," + good + "}",
        "{" + meta + "{\"x\":\"a\\u0000b\"}," + good + "}",
        "{" + meta + "{\"x\\u0000\":\"a\"}," + good + "}"}) {
    CAPTURE(header);
    CHECK(kind_of(file_of(header, "1")) == FileErrorKind::malformed);
  }
  CHECK(kind_of(file_of(std::string(200'000, '['), "1")) == FileErrorKind::malformed);
  std::string deep = "{";
  for (int i = 0; i < 100'000; ++i) deep += "\"a\":{";
  CHECK(kind_of(file_of(deep, "1")) == FileErrorKind::malformed);
}

TEST_CASE("shapes and offsets that are none") {
  for (const std::string shape : {"1",
                                  "\"1\"",
                                  "null",
                                  "{}",
                                  "[-1]",
                                  "[-0]",
                                  "[1.0]",
                                  "[1.5]",
                                  "[1e0]",
                                  "[\"1\"]",
                                  "[null]",
                                  "[true]",
                                  "[[1]]",
                                  "[01]",
                                  "[+1]",
                                  "[1,]",
                                  "[0x1]",
                                  "[18446744073709551616]",
                                  "[18446744073709551617]",
                                  "[9223372036854775808]",
                                  "[1e400]",
                                  "[2,9223372036854775807]",
                                  "[2,9223372036854775808]",
                                  "[2,18446744073709551614]",
                                  "[4294967296,4294967297]",
                                  "[0,18446744073709551615]"}) {
    CAPTURE(shape);
    CHECK(kind_of(file_with(shape, "[0,1]", "1")) == FileErrorKind::malformed);
  }
  CHECK(kind_of(file_with("[1,1,1,1,1,1,1,1,1]", "[0,1]", "1")) == FileErrorKind::unsupported);
  for (const std::string offsets : {"0",         "null",      "{}",      "\"01\"",
                                    "[]",        "[0]",       "[1]",     "[0,1,1]",
                                    "[0,1,2,3]", "[-1,0]",    "[0,-1]",  "[-0,1]",
                                    "[0.0,1]",   "[0,1.0]",   "[0,1e0]", "[\"0\",\"1\"]",
                                    "[null,1]",  "[[0],[1]]", "[1,0]",   "[0,18446744073709551616]",
                                    "[0,0]",     "[0,2]",     "[1,1]",   "[18446744073709551615,0]"}) {
    CAPTURE(offsets);
    CHECK(kind_of(file_with("[1]", offsets, "1")) == FileErrorKind::malformed);
  }
  // the count times the size wraps to 8, and to 0
  CHECK(kind_of(file_with("[2305843009213693953]", "[0,8]", "12345678", "\"F64\"")) == FileErrorKind::malformed);
  CHECK(kind_of(file_with("[4611686018427387904]", "[0,0]", "", "\"F32\"")) == FileErrorKind::malformed);
  // without elements, and no shape: it would be one of 2^64 + 2 elements without its last axis
  CHECK(kind_of(file_with("[3,6148914691236517206,0]", "[0,0]", "", "\"F32\"")) == FileErrorKind::malformed);
  const std::string most = std::to_string(std::numeric_limits<std::int64_t>::max());
  CHECK(kind_of(file_with("[" + most + "," + most + ",0]", "[0,0]", "")) == FileErrorKind::malformed);
  CHECK(kind_of(file_with("[0," + most + "," + most + "]", "[0,0]", "")) == FileErrorKind::malformed);
  CHECK(kind_of(file_with("[3]", "[0,7]", "1234567", "\"F16\"")) == FileErrorKind::malformed);
}

TEST_CASE("elements that no tensor has") {
  for (const std::string type :
       {"I4", "I128", "U128", "F8_E8M0", "F8", "F4", "C64", "f32", "F32 ", "", "float32"}) {
    CAPTURE(type);
    CHECK(kind_of(file_with("[1]", "[0,1]", "1", "\"" + type + "\"")) == FileErrorKind::unsupported);
  }
  CHECK(kind_of(file_with("[2]", "[0,2]", "\1\2", "\"BOOL\"")) == FileErrorKind::malformed);
}

TEST_CASE("data that overlaps, has gaps, or is shorter or longer than the header says") {
  const auto two = [](const std::string& a, const std::string& b) {
    return "{" + entry("a", "[2]", a) + "," + entry("b", "[2]", b) + "}";
  };
  CHECK(load_safetensors(bytes_of(file_of(two("[2,4]", "[0,2]"), "1234"))).size() == 2);
  CHECK(kind_of(file_of(two("[0,2]", "[1,3]"), "123")) == FileErrorKind::malformed);
  CHECK(kind_of(file_of(two("[0,2]", "[0,2]"), "12")) == FileErrorKind::malformed);
  CHECK(kind_of(file_of(two("[0,2]", "[3,5]"), "12345")) == FileErrorKind::malformed);
  CHECK(kind_of(file_of(two("[1,3]", "[3,5]"), "12345")) == FileErrorKind::malformed);
  CHECK(kind_of(file_of(two("[0,2]", "[2,4]"), "12345")) == FileErrorKind::malformed);
  CHECK(kind_of(file_of("{}", "1")) == FileErrorKind::malformed);
  CHECK(kind_of(file_with("[0]", "[5,5]", "")) == FileErrorKind::malformed);
  CHECK(kind_of(file_of(two("[0,2]", "[2,4]"), "12")) == FileErrorKind::truncated);
  CHECK(kind_of(file_with("[4194304]", "[0,4194304]", "1")) == FileErrorKind::truncated);
  CHECK(kind_of(file_with("[4611686018427387904]", "[0,9223372036854775808]", "1", "\"F16\"")) ==
        FileErrorKind::truncated);
  const std::string full = file_with("[2]", "[0,8]", "12345678", "\"F32\"");
  CHECK(load_safetensors(bytes_of(full)).size() == 1);
  for (std::size_t length = 0; length < full.size(); ++length) {
    CAPTURE(length);
    CHECK(kind_of(full.substr(0, length)) == FileErrorKind::truncated);
  }
  CHECK(kind_of(full + "x") == FileErrorKind::malformed);
}

TEST_CASE("many tensors on one range are refused in little time") {
  for (const int count : {10, 1000, 100'000}) {
    std::string header = "{";
    for (int i = 0; i < count; ++i) header += (i > 0 ? "," : "") + entry(std::to_string(i), "[2]", "[0,2]");
    const std::clock_t start = std::clock();  // of the processor: a busy machine takes none of it
    CHECK(kind_of(file_of(header + "}", "12")) == FileErrorKind::malformed);
    CHECK(std::clock() - start < 20 * CLOCKS_PER_SEC);
  }
}

TEST_CASE("messages name the file, the tensor and what is wrong; control characters and long names stay out of them") {
  const std::string text = message_of([] {
    static_cast<void>(load_safetensors(bytes_of(file_with("[3]", "[0,8]", "12345678", "\"F32\"")), "net.safetensors"));
  });
  CHECK(text == "net.safetensors: the header 'a' has data_offsets of 8 bytes for shape (3,) of float32");
  const std::string long_name = std::string(3000, 'x');
  const std::string other = message_of([&] {
    static_cast<void>(
        load_safetensors(bytes_of(file_of("{" + entry("\\u001b[31m" + long_name, "[1]", "[0,2]") + "}", "12"))));
  });
  CHECK(contains(other, "'\\x1b[31mxxx"));
  CHECK(other.size() < 300);
  CHECK(contains(message_of([] { static_cast<void>(AnyTensor<>(ones<float>({2})).get<double>()); }),
                 "float32, not float64"));
}

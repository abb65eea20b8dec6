// SPDX-License-Identifier: Apache-2.0
// The header of a .safetensors file: a JSON object with the tensors' types, shapes and positions. Source of the format: the
// README of github.com/huggingface/safetensors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/io/archive.hpp>
#include <situ/io/element_type.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/safetensors_parser.hpp>

namespace situ::internal::io {

/// Reads the text of a header. `data` is the number of bytes after it, which the tensors must fill without gaps or
/// overlaps: bytes in a gap could hide anything, and overlapping tensors could be a trap. Throws `FileError`.
template <class = void>
[[nodiscard]] SafetensorsHeader parse_safetensors_header(const std::string& text, std::uint64_t data,
                                                         const std::string& file) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '{') {
    throw FileError(FileErrorKind::malformed, file + ": the header does not begin with '{'");
  }
  if (text.find('\0') != std::string::npos) {  // which the parser would treat as the end
    throw FileError(FileErrorKind::malformed, file + ": the header has a zero character");
  }
  SafetensorsHeader header;
  detail::SafetensorsParser parser(file, header);
  static_cast<void>(nlohmann::json::sax_parse(text, &parser));
  std::vector<std::pair<const std::string*, const ArchiveEntry*>> order;
  for (const auto& [name, entry] : header.entries) order.emplace_back(&name, &entry);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second->position, a.second->bytes) < std::pair(b.second->position, b.second->bytes);
  });
  std::uint64_t end = 0;
  for (const auto& [name, entry] : order) {
    if (entry->position != end) {
      throw FileError(FileErrorKind::malformed,
                      file + ": tensor " + in_quotes(*name) + " begins at " + std::to_string(entry->position) +
                          " of the data, where those before it end at " + std::to_string(end));
    }
    end += entry->bytes;  // data_offsets[1]: cannot overflow
    if (end > data) {
      throw FileError(FileErrorKind::truncated, file + ": tensor " + in_quotes(*name) + " ends at " +
                                                    std::to_string(end) + " of " + std::to_string(data) +
                                                    " bytes of data");
    }
  }
  if (end != data) {
    throw FileError(FileErrorKind::malformed,
                    file + ": " + std::to_string(data - end) + " bytes of data that belong to no tensor");
  }
  return header;
}

/// The header, preceded by its length, for tensors that follow in this order; their data begins at a multiple of 8.
/// Throws `ValueError` for a name that is not UTF-8, and for complex elements.
template <class = void>
[[nodiscard]] std::string safetensors_preamble(const std::vector<OutputEntry>& entries,
                                               const std::map<std::string, std::string>& metadata) {
  const auto text_of = [](const std::string& text) {
    try {
      return nlohmann::json(text).dump();
    } catch (const nlohmann::json::exception&) {
      throw ValueError("save: the name " + in_quotes(text) + " is not UTF-8 text");
    }
  };
  std::string text = "{";
  if (!metadata.empty()) {
    text += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata) text += text_of(key) + ":" + text_of(value) + ",";
    text.back() = '}';
    text += ',';
  }
  std::uint64_t at = 0;
  for (const OutputEntry& entry : entries) {
    if (entry.name == "__metadata__") throw ValueError("save: no tensor may have the name '__metadata__'");
    if (safetensors_type(entry.type).empty()) {
      throw ValueError("save: tensor " + in_quotes(entry.name) + " has elements of type " +
                       std::string(dtype_name(entry.type)) +
                       ", which .safetensors files cannot hold; save view_as_real(x), or an .npz file");
    }
    text += text_of(entry.name) + ":{\"dtype\":\"" + std::string(safetensors_type(entry.type)) + "\",\"shape\":[";
    for (const std::int64_t extent : entry.shape) text += std::to_string(extent) + ",";
    if (entry.shape.rank() > 0) text.pop_back();
    text += "],\"data_offsets\":[" + std::to_string(at) + "," + std::to_string(at + entry.bytes()) + "]},";
    at += entry.bytes();
  }
  if (text.size() > 1) text.pop_back();
  text += '}';
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(text.size() >> (8 * i) & 0xff);
  return length + text;
}

}  // namespace situ::internal::io

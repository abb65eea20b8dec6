// SPDX-License-Identifier: Apache-2.0
// The index of a checkpoint of several .safetensors files, `model.safetensors.index.json`, as on model hubs and in
// `transformers`: `metadata.total_size`, and in `weight_map` the file of each tensor. Also the format of tensors in
// pieces.
//
// The format of hubs does not cover tensors in pieces. Pieces are stored as torch.distributed.checkpoint does
// (HuggingFaceStorageWriter, 2.8): each in its own file under the name of the whole, with the offsets of the file's
// tensors in its metadata `DCP_SHARDING_INFO`. The index, which torch does not write for pieces, contains in
// `metadata.pieces` the files of each tensor in pieces, and in `weight_map` the first of them, so that a reader that
// does not support pieces finds a tensor of another shape, instead of continuing without it.
//
// `metadata.situ_save` is a number unique to a save. Each of its files has the same number in its own metadata and in
// its name, so that files of two saves are never mixed up. Files of other writers do not have it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/names.hpp>
#include <situ/io/output_file.hpp>

namespace situ::internal::io {

/// The files of each tensor: one, or those of its pieces in order.
struct SafetensorsIndex {
  std::uint64_t total_size = 0;
  std::string save;  // empty for other writers
  std::map<std::string, std::vector<std::string>> files;
};

/// The offsets of pieces in their tensors, by name.
using SavedOffsets = std::map<std::string, std::vector<std::int64_t>>;

inline constexpr const char* sharding_info = "DCP_SHARDING_INFO";
inline constexpr const char* save_number = "situ_save";

namespace detail {

using JsonEvent = nlohmann::json::parse_event_t;

/// Parses JSON without duplicate names, nested no deeper than an index. Throws `FileError` (malformed). `take(depth,
/// event, parsed)` returns whether it takes what it is shown: then that is not in the result.
template <class Take>
[[nodiscard]] nlohmann::json parse_strictly(const std::string& text, const std::string& file, Take&& take) {
  constexpr int deepest = 8;
  std::map<int, std::set<std::string>> names;
  const auto look = [&](int depth, JsonEvent event, nlohmann::json& parsed) {
    using Event = JsonEvent;
    if (depth > deepest) throw FileError(FileErrorKind::malformed, file + ": JSON nested deeper than an index is");
    if (take(depth, event, parsed)) return false;
    if (event == Event::object_start) names[depth + 1].clear();
    if (event == Event::key && !names[depth].insert(parsed.get<std::string>()).second) {
      throw FileError(FileErrorKind::malformed, file + ": the name " + in_quotes(parsed.get<std::string>()) + " twice");
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text, look);
  } catch (const nlohmann::json::exception& error) {
    // The text quotes the last token, which may be megabytes.
    throw FileError(FileErrorKind::malformed, file + ": not JSON: " + excerpt(error.what(), 300));
  }
}

[[nodiscard]] inline nlohmann::json parse_strictly(const std::string& text, const std::string& file) {
  return parse_strictly(text, file, [](int, JsonEvent, const nlohmann::json&) { return false; });
}

/// Whether an index may name this file: it must be in the folder of the index, since an untrusted file must not reach
/// any other, its length must suit file systems, and messages must be able to print it.
[[nodiscard]] inline bool names_file_beside(std::string_view text) {
  constexpr std::size_t longest = 255;
  return !text.empty() && text.size() <= longest && text != "." && text != ".." &&
         text.find_first_of("/\\:") == text.npos && std::none_of(text.begin(), text.end(), is_control);
}
[[nodiscard]] inline std::string file_beside(const nlohmann::json& name, const std::string& index) {
  if (!name.is_string()) throw FileError(FileErrorKind::malformed, index + ": a file's name that is not a string");
  const auto& text = name.get_ref<const std::string&>();
  if (!names_file_beside(text)) {
    throw FileError(FileErrorKind::malformed,
                    index + ": " + in_quotes(text) + " is not the name of a file in the folder of the index");
  }
  return text;
}

/// Takes the names in `weight_map`, an object in the outermost one, as they are parsed: with a million of them, a JSON
/// value of the whole index is 20 times its text.
struct WeightMapReader {
  const std::string& file;
  SafetensorsIndex& index;
  bool is_weight_map = false;  // the last name in the outermost object
  bool inside = false;
  std::vector<std::string>* files = nullptr;  // of the last name

  bool operator()(int depth, JsonEvent event, const nlohmann::json& parsed) {
    if (depth == 1 && event == JsonEvent::key) is_weight_map = parsed == "weight_map";
    if (depth == 1 && event == JsonEvent::object_start) inside = is_weight_map;
    if (depth == 1 && event == JsonEvent::object_end) inside = false;
    if (!inside || depth != 2) return false;
    if (event != JsonEvent::key) {
      files->push_back(file_beside(parsed, file));
      return true;
    }
    const auto [at, added] = index.files.try_emplace(parsed.get_ref<const std::string&>());
    if (!added) throw FileError(FileErrorKind::malformed, file + ": the name " + in_quotes(at->first) + " twice");
    files = &at->second;
    return true;
  }
};

}  // namespace detail

/// Throws `FileError` (malformed) unless the text is such an index. The total size is ignored: on hubs it is not always
/// the sum.
template <class = void>
[[nodiscard]] SafetensorsIndex parse_safetensors_index(const std::string& text, const std::string& file) {
  SafetensorsIndex index;
  const nlohmann::json json = detail::parse_strictly(text, file, detail::WeightMapReader{file, index});
  const auto fail = [&](const std::string& what) -> FileError {
    return {FileErrorKind::malformed, file + ": " + what};
  };
  if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object()) {
    throw fail("an index of .safetensors files has an object 'weight_map', from names to files");
  }
  const nlohmann::json metadata = json.value("metadata", nlohmann::json::object());
  if (!metadata.is_object()) throw fail("'metadata' is not an object");
  if (metadata.contains(save_number)) {
    const nlohmann::json& number = metadata[save_number];
    if (!number.is_string() || number.get_ref<const std::string&>().empty()) {
      throw fail("'metadata." + std::string(save_number) + "' is not text");
    }
    index.save = number.get<std::string>();
  }
  if (!metadata.contains("pieces")) return index;
  if (!metadata["pieces"].is_object()) throw fail("'metadata.pieces' is not an object");
  for (const auto& [name, files] : metadata["pieces"].items()) {
    const auto whole = index.files.find(name);
    if (whole == index.files.end()) throw fail("pieces of " + in_quotes(name) + ", which 'weight_map' does not have");
    if (!files.is_array() || files.size() < 2) throw fail("pieces of " + in_quotes(name) + " are not a list of files");
    std::vector<std::string> pieces;
    for (const nlohmann::json& in : files) pieces.push_back(detail::file_beside(in, file));
    if (std::set<std::string>(pieces.begin(), pieces.end()).size() != pieces.size() || pieces[0] != whole->second[0]) {
      throw fail("the pieces of " + in_quotes(name) + " are in different files, the first in that of 'weight_map'");
    }
    whole->second = std::move(pieces);
  }
  return index;
}

/// The index as text, the same for the same files. Throws `ValueError` for a name that is not UTF-8, and for a file
/// name that no reader would open.
template <class = void>
[[nodiscard]] std::string safetensors_index_text(const SafetensorsIndex& index) {
  nlohmann::json json = {{"metadata", {{"total_size", index.total_size}}}, {"weight_map", nlohmann::json::object()}};
  if (!index.save.empty()) json["metadata"][save_number] = index.save;
  for (const auto& [name, files] : index.files) {
    for (const std::string& file : files) {
      if (!detail::names_file_beside(file)) {
        throw ValueError("save: an index cannot name the file " + in_quotes(file) +
                         ": its name has characters that no index may have, or more than 255");
      }
    }
    json["weight_map"][name] = files[0];
    if (files.size() > 1) json["metadata"]["pieces"][name] = files;
  }
  try {
    return json.dump(2) + "\n";
  } catch (const nlohmann::json::exception&) {
    throw ValueError("save: a name of a tensor, or of the file, is not UTF-8 text");
  }
}

/// The offsets of pieces in the metadata of a file.
template <class = void>
[[nodiscard]] SavedOffsets parse_saved_offsets(const std::string& text, const std::string& file) {
  const nlohmann::json json = detail::parse_strictly(text, file + ", " + sharding_info);
  SavedOffsets offsets;
  const auto require = [&](bool right) {
    if (!right)
      throw FileError(FileErrorKind::malformed, file + ": its " + sharding_info + " has no offsets of tensors");
  };
  require(json.is_object());
  for (const auto& [name, of] : json.items()) {
    require(of.is_object() && of.contains("saved_offsets") && of["saved_offsets"].is_array());
    std::vector<std::int64_t>& begin = offsets[name];
    for (const nlohmann::json& each : of["saved_offsets"]) {
      require(each.is_number_unsigned() && each.get<std::uint64_t>() <= std::uint64_t{1} << 62);
      begin.push_back(each.get<std::int64_t>());
    }
  }
  return offsets;
}
template <class = void>
[[nodiscard]] std::string saved_offsets_text(const SavedOffsets& offsets) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, begin] : offsets) json[name] = {{"saved_offsets", begin}};
  try {
    return json.dump();
  } catch (const nlohmann::json::exception&) {
    throw ValueError("save: a name of a tensor is not UTF-8 text");
  }
}

/// Whether a path is that of such an index.
[[nodiscard]] inline bool names_safetensors_index(const std::filesystem::path& path) {
  return path.string().ends_with(".safetensors.index.json");
}

/// Reads an index from a file (`Input`, `InputFile`). Throws `FileError`.
template <class File>
[[nodiscard]] SafetensorsIndex read_safetensors_index(File& file) {
  constexpr std::uint64_t longest = 100'000'000;  // as the longest header of one file
  if (file.size() > longest) {
    throw FileError(FileErrorKind::not_this_format,
                    file.name() + ": " + std::to_string(file.size()) + " bytes, which no index has");
  }
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return parse_safetensors_index(text, file.name());
}

/// Writes the index in one step.
inline void write_safetensors_index(const std::filesystem::path& path, const SafetensorsIndex& index) {
  const std::string text = safetensors_index_text(index);
  OutputFile file(path);
  file.write(std::as_bytes(std::span(text)));
  file.finish();
}

}  // namespace situ::internal::io

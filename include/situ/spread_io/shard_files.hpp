// SPDX-License-Identifier: Apache-2.0
// The files of a checkpoint that takes the place of an older one, of which nothing may be lost before all of the new
// one is there. Their names are those of the older one, so they are written under others first, which an index then
// names; from then on the new one is whole, and the files get their own names, and the index that names these.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include <situ/io/file_error.hpp>

namespace situ::internal::io {

class ShardFiles {
 public:
  /// Of the checkpoint with this index, in as many files.
  ShardFiles(std::filesystem::path index, std::size_t parts) : index_(std::move(index)), parts_(parts) {
    const std::string name = index_.filename().string();
    stem_ = name.substr(0, name.size() - std::string(".safetensors.index.json").size());
  }

  /// "model-00001-of-00002.safetensors"; the mark goes before its end: "model-00001-of-00002.new.safetensors".
  [[nodiscard]] std::string name(std::size_t part, const char* mark = "") const {
    char numbers[48];
    std::snprintf(numbers, sizeof numbers, "-%05zu-of-%05zu", part + 1, parts_);
    return stem_ + numbers + mark + ".safetensors";
  }
  [[nodiscard]] std::filesystem::path path(std::size_t part, const char* mark = "") const {
    return index_.parent_path() / name(part, mark);
  }

  /// Whether the index that is there names files with this mark: it was written when something stopped the files from
  /// getting their own names.
  [[nodiscard]] bool in_use(const char* mark) const {
    std::ifstream stream(index_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    return text.find(std::string(mark) + ".safetensors") != std::string::npos;
  }

  /// Gives a file with a mark its own name, besides, in the place of an older one and in one step. Throws `FileError`.
  void name_without(const char* mark, std::size_t part) const {
    const std::filesystem::path from = path(part, mark), to = path(part), second = to.string() + ".partial";
    std::error_code error;
    std::filesystem::remove(second, error);
    std::filesystem::create_hard_link(from, second, error);
    if (error) std::filesystem::copy_file(from, second, std::filesystem::copy_options::overwrite_existing, error);
    if (!error) std::filesystem::rename(second, to, error);
    if (!error) return;
    std::error_code ignored;
    std::filesystem::remove(second, ignored);
    throw FileError(FileErrorKind::unreadable, to.string() + ": cannot be replaced: " + error.message() +
                                                   "; the checkpoint is whole, with files of other names (*" + mark +
                                                   ".safetensors)");
  }
  /// Nothing more can be done about files that cannot be removed.
  void remove(const char* mark, std::size_t part) const noexcept {
    std::error_code ignored;
    std::filesystem::remove(path(part, mark), ignored);
  }

 private:
  std::filesystem::path index_;
  std::size_t parts_;
  std::string stem_;
};

}  // namespace situ::internal::io

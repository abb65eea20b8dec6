// SPDX-License-Identifier: Apache-2.0
// The files of a checkpoint that replaces an older one. Nothing of that may be lost before the new one is complete, nor
// while a process reads it. So each save has file names of its own; the index, which is replaced in one step, names the
// files of the checkpoint; and those of the previous one are removed last.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <situ/io/descriptor.hpp>
#include <situ/io/file.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/safetensors_index.hpp>

namespace situ::internal::io {

class ShardFiles {
 public:
  /// The files, for this many parts, of the checkpoint with this index, written by the save of this number.
  ShardFiles(const std::filesystem::path& index, std::size_t parts, std::string save)
      : index_(index), folder_(behind_links(index).parent_path()), parts_(parts), save_(std::move(save)) {
    const std::string name = index.filename().string();
    stem_ = name.substr(0, name.size() - std::string_view(".safetensors.index.json").size());
  }

  [[nodiscard]] const std::string& save() const noexcept { return save_; }
  /// "model-8c5d2f0a1b3e4697-00001-of-00002.safetensors": the end is that of model hubs.
  [[nodiscard]] std::string name(std::size_t part) const {
    std::array<char, 48> numbers{};
    std::snprintf(numbers.data(), numbers.size(), "-%05zu-of-%05zu", part + 1, parts_);
    return stem_ + "-" + save_ + numbers.data() + ".safetensors";
  }
  [[nodiscard]] std::filesystem::path path(std::size_t part) const { return folder_ / name(part); }

  /// Ignores files that cannot be removed.
  void remove(std::size_t part) const noexcept {
    std::error_code ignored;
    std::filesystem::remove(path(part), ignored);
  }

  /// The files that the existing index names, if it can be read: they are removed once another replaces it.
  [[nodiscard]] std::set<std::string> of_the_index() const {
    std::set<std::string> names;
    try {
      InputFile file(index_);
      for (const auto& [tensor, files] : read_safetensors_index(file).files) names.insert(files.begin(), files.end());
    } catch (const FileError&) {
      names.clear();
    }
    return names;
  }
  /// Removes the files of the index that this save has replaced, and files that killed saves left a day ago or earlier:
  /// newer ones may belong to a save that is still running. Removes only shards of checkpoints of this name.
  void remove_older(const std::set<std::string>& of_the_index_before) const {
    std::error_code ignored;
    for (const std::string& name : of_the_index_before) {
      if (save_in(name) != nothing && save_in(name) != save_) std::filesystem::remove(folder_ / name, ignored);
    }
    const std::set<std::string> in_use = of_the_index();
    const auto a_day_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(24);
    std::error_code end;
    const std::filesystem::path here = folder_.empty() ? "." : folder_;
    for (std::filesystem::directory_iterator file(here, end), last; !end && file != last; file.increment(end)) {
      const std::string name = file->path().filename().string();
      const std::string_view save = save_in(name);
      if (save == nothing || save.empty() || save == save_ || in_use.contains(name)) continue;
      const auto written = std::filesystem::last_write_time(file->path(), ignored);
      if (!ignored && written < a_day_ago) std::filesystem::remove(file->path(), ignored);
    }
  }

 private:
  static constexpr std::string_view nothing = "none";

  /// The number of the save that wrote a shard of this checkpoint, from its name: empty for names of model hubs and
  /// older versions, which have none; `nothing` if it is not a shard of this checkpoint.
  [[nodiscard]] std::string_view save_in(std::string_view name) const {
    const auto take = [&](std::string_view text) {
      if (!name.starts_with(text)) return false;
      name.remove_prefix(text.size());
      return true;
    };
    const auto take_digits = [&](std::string_view digits) {
      const std::size_t count = std::min(name.find_first_not_of(digits), name.size());
      const std::string_view taken = name.substr(0, count);
      name.remove_prefix(count);
      return taken;
    };
    if (!take(stem_) || !take("-")) return nothing;
    std::string_view save;
    if (const std::size_t digits = save_.size(); name.size() > digits && name[digits] == '-') {
      save = take_digits("0123456789abcdef");
      if (save.size() != digits || !take("-")) return nothing;
    }
    if (take_digits("0123456789").size() < 5 || !take("-of-")) return nothing;
    if (take_digits("0123456789").size() < 5 || name != ".safetensors") return nothing;
    return save;
  }

  std::filesystem::path index_;
  std::filesystem::path folder_;
  std::size_t parts_;
  std::string save_;
  std::string stem_;
};

}  // namespace situ::internal::io

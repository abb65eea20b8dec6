// SPDX-License-Identifier: Apache-2.0
// Writes a checkpoint of several files: which part writes which entry, and how the files replace older ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/io/checkpoint.hpp>
#include <situ/io/element_type.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/output_file.hpp>
#include <situ/io/safetensors.hpp>
#include <situ/io/safetensors_index.hpp>
#include <situ/io/sharded_safetensors.hpp>
#include <situ/spread_io/shard_files.hpp>
#include <situ/spread_io/slot.hpp>

namespace situ::internal::io {

/// Entries to be written, and which parts of this process have them.
class SpreadEntryWriter {
 public:
  explicit SpreadEntryWriter(Crew crew) : crew_(std::move(crew)), bytes_(crew_.parts()), own_(crew_.parts()) {}

  template <Element T, class Layout, class Mesh>
  void operator()(const std::string& name, const SpreadSlot<T, Layout, Mesh>& slot) {
    constexpr int axis = sharded_axis<Layout>;
    const std::size_t parts = slot.mesh.size();
    constexpr auto size = static_cast<std::int64_t>(element_size(element_type<T>()));
    const auto bytes_of = [](const Shape& shape) {
      return static_cast<std::uint64_t>(product_of_extents(shape.count(), size, "save"));
    };
    std::vector<bool> writes(parts);
    if constexpr (axis < 0) {
      // One of the equal parts writes it, the one with the least to write so far.
      const std::size_t part = least(parts);
      writes[part] = true;
      add_file(name, part, bytes_of(slot.shape));
    } else {
      const EvenSplit pieces(slot.shape[axis], parts);
      for (std::size_t part = 0; part < parts; ++part) {
        if (pieces.extent(part) == 0 && part > 0) break;  // the longer ones come first
        writes[part] = true;
        add_file(name, part, bytes_of(part_shape<Layout>(slot.shape, part, parts)));
      }
    }
    std::size_t number = slot.mesh.first();
    const auto add_part = [&](const auto& tensor) {
      const std::size_t part = number++;
      std::vector<std::int64_t> offsets(static_cast<std::size_t>(slot.shape.rank()), 0);
      if constexpr (axis >= 0) offsets[axis] = EvenSplit(slot.shape[axis], parts).begin(part);
      if (writes[part]) add(part, output_entry(name, tensor), std::move(offsets));
    };
    std::apply([&](const auto&... tensor) { (add_part(tensor), ...); }, slot.values);
  }
  template <Element T>
  void operator()(const std::string& name, const CopiesOf<T>& copies) {
    (*this)(name, *copies.all[0]);
  }
  /// A value that is not on several devices is the same on all ranks: the first writes it.
  template <class X>
  void operator()(const std::string& name, const X& x) {
    detail::EntryWriter writer;
    writer(name, x);
    const std::size_t part = crew_.of_ranks() ? 0 : least(crew_.parts());
    add_file(name, part, writer.entries[0].bytes());
    if (crew_.of_ranks() && crew_.first() != 0) return;
    const std::vector<std::int64_t> offsets(static_cast<std::size_t>(writer.entries[0].shape.rank()), 0);
    add(part, std::move(writer.entries[0]), offsets);
  }

  /// Writes the files and the index; a process that is stopped leaves the older checkpoint or this one, whole.
  void finish(const std::filesystem::path& path) {
    const ShardFiles files(path, crew_.parts(), sixteen_digits(crew_.number_for_a_save()));
    const auto each_own = [this](const auto& f) {
      for (std::size_t part = 0; part < own_.size(); ++part) {
        if (!own_[part].offsets.empty()) f(part);
      }
    };
    const std::string what = "save: " + path.string();
    const auto remove_own = [&] { each_own([&](std::size_t part) { files.remove(part); }); };
    crew_.together(
        what,
        [&] {
          static_cast<void>(file_to_replace(path));  // before anything large is written
          each_own([&](std::size_t part) {
            write_safetensors(files.path(part), std::move(own_[part].entries),
                              {{"format", "pt"},
                               {"DCP_VERSION", "1.0"},
                               {save_number, files.save()},
                               {sharding_info, saved_offsets_text(own_[part].offsets)}});
          });
        },
        remove_own);
    std::set<std::string> older;
    bool published = false;
    crew_.together(
        what,
        [&] {
          if (crew_.first() != 0) return;
          const SafetensorsIndex index = index_of(files);
          require_all(path, index);
          older = files.of_the_index();
          try {
            write_safetensors_index(path, index);
            published = true;
          } catch (const NameNotSynced&) {
            published = true;  // a power failure may still restore the older index: files of both are kept
            throw;
          }
        },
        [&] {
          if (!crew_.anybody(published)) remove_own();
        });
    if (crew_.first() == 0) files.remove_older(older);
  }

 private:
  struct OwnFile {
    std::vector<OutputEntry> entries;
    SavedOffsets offsets;
  };

  /// Checks that the shards of all ranks match the index, before it replaces an older one.
  void require_all(const std::filesystem::path& path, const SafetensorsIndex& index) const {
    try {
      const ShardedSafetensorsArchive written(path, index);
    } catch (const FileError& error) {
      if (!crew_.of_ranks()) throw;
      throw FileError(error.kind(),
                      std::string(error.what()) + "; all ranks write into one folder, which each of them must see");
    }
  }
  [[nodiscard]] SafetensorsIndex index_of(const ShardFiles& files) const {
    SafetensorsIndex index;
    index.save = files.save();
    for (const auto& [name, parts] : files_) {
      for (const std::size_t part : parts) index.files[name].push_back(files.name(part));
    }
    for (const std::uint64_t bytes : bytes_) index.total_size += bytes;
    return index;
  }
  [[nodiscard]] std::size_t least(std::size_t parts) const {
    const auto end = bytes_.begin() + static_cast<std::ptrdiff_t>(parts);
    return static_cast<std::size_t>(std::min_element(bytes_.begin(), end) - bytes_.begin());
  }
  void add_file(const std::string& name, std::size_t part, std::uint64_t bytes) {
    std::vector<std::size_t>& parts = files_[name];
    if (!parts.empty() && part <= parts.back()) throw ValueError("save: two tensors of the name " + in_quotes(name));
    parts.push_back(part);
    bytes_[part] += bytes;
  }
  void add(std::size_t part, OutputEntry entry, std::vector<std::int64_t> offsets) {
    own_[part].offsets[entry.name] = std::move(offsets);
    own_[part].entries.push_back(std::move(entry));
  }

  Crew crew_;
  std::vector<std::uint64_t> bytes_;  // bytes that each part writes
  std::vector<OwnFile> own_;          // of the parts of this process, empty for others
  std::map<std::string, std::vector<std::size_t>> files_;
};

}  // namespace situ::internal::io

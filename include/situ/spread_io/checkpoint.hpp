// SPDX-License-Identifier: Apache-2.0
// Checkpoints with spread values in them: `save` and `load` of `model.safetensors.index.json`.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/io/archive.hpp>
#include <situ/io/checkpoint.hpp>
#include <situ/io/element_type.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/safetensors.hpp>
#include <situ/io/safetensors_index.hpp>
#include <situ/io/spread_entries.hpp>
#include <situ/spread_io/slot.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal::io {

/// Entries to be written, and which parts of this process have them.
class SpreadEntryWriter {
 public:
  explicit SpreadEntryWriter(Crew crew) : crew_(std::move(crew)), bytes_(crew_.parts()), own_(crew_.parts()) {}

  template <Element T, class Layout, class Mesh>
  void operator()(const std::string& name, const SpreadSlot<T, Layout, Mesh>& slot) {
    constexpr int axis = sharded_axis<Layout>;
    const std::size_t parts = slot.mesh.size();
    const std::uint64_t size = element_size(element_type<T>());
    std::vector<bool> writes(parts);
    if constexpr (axis < 0) {
      // One of the equal parts writes it, the one that has least to write so far.
      const std::size_t part = least(parts);
      writes[part] = true;
      add_file(name, part, static_cast<std::uint64_t>(slot.shape.count()) * size);
    } else {
      const EvenSplit pieces(slot.shape[axis], parts);
      for (std::size_t part = 0; part < parts; ++part) {
        if (pieces.extent(part) == 0 && part > 0) break;  // the longer ones come first
        writes[part] = true;
        add_file(name, part, static_cast<std::uint64_t>(part_shape<Layout>(slot.shape, part, parts).count()) * size);
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
  /// What is on no several devices is the same on all ranks: the first writes it.
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

  /// Writes the files, under other names until all are complete; then they take the place of older ones, which have no
  /// index meanwhile; at last the index.
  void finish(const std::filesystem::path& path) {
    const std::string index_name = path.filename().string();
    const std::string stem = index_name.substr(0, index_name.size() - std::string(".safetensors.index.json").size());
    const auto file_of = [&](std::size_t part) {
      char numbers[48];
      std::snprintf(numbers, sizeof numbers, "-%05zu-of-%05zu.safetensors", part + 1, crew_.parts());
      return stem + numbers;
    };
    SafetensorsIndex index;
    for (const auto& [name, parts] : files_) {
      for (const std::size_t part : parts) index.files[name].push_back(file_of(part));
    }
    for (const std::uint64_t bytes : bytes_) index.total_size += bytes;

    std::vector<std::pair<std::filesystem::path, std::filesystem::path>> written;  // from, to
    const auto rename = [](const std::filesystem::path& from, const std::filesystem::path& to) {
      std::error_code error;
      std::filesystem::rename(from, to, error);
      if (error) throw FileError(FileErrorKind::unreadable, to.string() + ": cannot be replaced: " + error.message());
    };
    try {
      crew_.together("save: " + path.string(), [&] {
        for (std::size_t part = 0; part < own_.size(); ++part) {
          if (own_[part].entries.empty()) continue;
          const std::filesystem::path to = path.parent_path() / file_of(part);
          written.emplace_back(to.string() + ".new", to);
          write_safetensors(written.back().first, std::move(own_[part].entries),
                            {{"format", "pt"},
                             {"DCP_VERSION", "1.0"},
                             {sharding_info, saved_offsets_text(own_[part].offsets)}});
        }
      });
    } catch (...) {
      std::error_code ignored;  // nothing more can be done about files that cannot be removed
      for (const auto& [from, to] : written) std::filesystem::remove(from, ignored);
      throw;
    }
    crew_.together("save: " + path.string(), [&] {
      if (crew_.first() == 0) std::filesystem::remove(path);
    });
    crew_.together("save: " + path.string(), [&] {
      for (const auto& [from, to] : written) rename(from, to);
    });
    crew_.together("save: " + path.string(), [&] {
      if (crew_.first() == 0) write_safetensors_index(path, index);
    });
  }

 private:
  struct OwnFile {
    std::vector<OutputEntry> entries;
    SavedOffsets offsets;
  };

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
  std::vector<std::uint64_t> bytes_;  // that each part writes
  std::vector<OwnFile> own_;          // of the parts of this process, empty for others
  std::map<std::string, std::vector<std::size_t>> files_;
};

/// Compares what a checkpoint has with what it is to be loaded into.
class SpreadEntryComparison : public detail::EntryComparison {
 public:
  using EntryComparison::EntryComparison;
  using EntryComparison::operator();

  template <Element T, class Layout, class Mesh>
  void operator()(const std::string& name, const SpreadSlot<T, Layout, Mesh>& slot) {
    expect(name, element_type<T>(), slot.shape);
  }
  template <Element T>
  void operator()(const std::string& name, const CopiesOf<T>& copies) {
    (*this)(name, *copies.all[0]);
  }
};

/// Reads of each entry what the parts of this process are to have.
class SpreadEntryReader : public detail::EntryReader {
 public:
  explicit SpreadEntryReader(Archive& archive) : EntryReader(archive), archive_(archive) {}
  using EntryReader::operator();

  template <Element T, class Layout, class Mesh>
  void operator()(const std::string& name, SpreadSlot<T, Layout, Mesh> slot) {
    const auto found = archive_.entries().find(name);
    if (found == archive_.entries().end()) return;
    constexpr int axis = sharded_axis<Layout>;
    Tensor<T, Cpu> whole;
    if constexpr (axis < 0) whole = archive_.read<T>(name, found->second);
    std::size_t number = slot.mesh.first();
    const auto part_on = [&]<class D>(const Tensor<T, D>&) {
      if constexpr (axis < 0) {
        return whole.template to<D>();
      } else {
        const EvenSplit pieces(slot.shape[axis], slot.mesh.size());
        const std::size_t own = number++;
        return archive_.read_along<T>(name, found->second, axis, pieces.begin(own), pieces.extent(own))
            .template to<D>();
      }
    };
    later([assign = std::move(slot.assign),
           parts = std::apply(
               [&](const auto&... part) { return typename SpreadSlot<T, Layout, Mesh>::tensors{part_on(part)...}; },
               slot.values)]() mutable { assign(std::move(parts)); });
  }

  template <Element T>
  void operator()(const std::string& name, const CopiesOf<T>& copies) {
    for (Tensor<T, Cpu>* const copy : copies.all) (*this)(name, *copy);
  }

 private:
  Archive& archive_;
};

template <class... Parts>
void save_spread(const std::filesystem::path& path, const Parts&... parts) {
  if (!names_safetensors_index(path)) {
    throw ValueError("save: " + path.string() +
                     ": what is spread is written into several files; name their index, which ends in "
                     ".safetensors.index.json");
  }
  CrewFinder finder;
  each_spread_entry_of_parts(finder, parts...);
  SpreadEntryWriter writer(finder.crew);
  each_spread_entry_of_parts(writer, parts...);
  writer.finish(path);
}
template <class... Parts>
UnmatchedEntries load_spread(const std::filesystem::path& path, bool strict, Parts&&... parts) {
  CrewFinder finder;
  each_spread_entry_of_parts(finder, parts...);
  UnmatchedEntries unmatched;
  std::unique_ptr<Archive> archive;
  std::unique_ptr<SpreadEntryReader> reader;
  finder.crew.together("load: " + path.string(), [&] {
    archive = open_archive(path);
    SpreadEntryComparison comparison(*archive);
    each_spread_entry_of_parts(comparison, parts...);
    unmatched = comparison.finish(strict);
    reader = std::make_unique<SpreadEntryReader>(*archive);
    each_spread_entry_of_parts(*reader, parts...);
  });
  reader->finish();
  return unmatched;
}

template <class... X>
concept AnySpread = (HoldsSpread<X> || ...);

}  // namespace internal::io

/// Writes spread values, modules with spread parameters, and what else `save` takes beside them, as several files: each
/// part's pieces as a file of .safetensors beside `path`, the index of all, which ends in `.safetensors.index.json`. Of
/// replicas one part writes each. Of ranks all call it; what is not spread is written as rank 0 has it. The layout is
/// that of model hubs, as long as nothing is `Sharded`; how pieces lie, see io/safetensors_index.hpp.
///
/// Files of these names are replaced once all are written; who is stopped while they are has no index, and no mixture.
/// Throws `FileError`, on all ranks, and `ValueError` for another name, and for values of several groups of ranks.
///
///     save("model.safetensors.index.json", "net", net, "epoch", epoch);
template <class X>
  requires internal::io::AnySpread<X>
void save(const std::filesystem::path& path, const X& x) {
  internal::io::save_spread(path, std::string(), x);
}
template <class X, class... Rest>
  requires(sizeof...(Rest) % 2 == 0) && internal::io::AnySpread<X, Rest...>
void save(const std::filesystem::path& path, const std::string& name, const X& x, const Rest&... rest) {
  internal::io::save_spread(path, name, x, rest...);
}

/// Replaces spread values and what is beside them by what a checkpoint has: one of any layout on any number of devices,
/// and a file that `save` wrote of what was not spread. Each part reads its piece. Shapes are those of the whole
/// values; errors and all or nothing as `load` of modules, on all ranks.
///
///     load("model.safetensors.index.json", "net", net, "epoch", epoch);    // net is on 2 devices, was saved on 4
template <class X>
  requires internal::io::AnySpread<X>
void load(const std::filesystem::path& path, X& x) {
  static_cast<void>(internal::io::load_spread(path, /*strict=*/true, std::string(), x));
}
template <class X, class... Rest>
  requires(sizeof...(Rest) % 2 == 0) && internal::io::AnySpread<X, Rest...>
void load(const std::filesystem::path& path, const std::string& name, X& x, Rest&&... rest) {
  static_cast<void>(internal::io::load_spread(path, /*strict=*/true, name, x, rest...));
}
/// See `load_matching` of what is not spread.
template <class X>
  requires internal::io::AnySpread<X>
UnmatchedEntries load_matching(const std::filesystem::path& path, X& x) {
  return internal::io::load_spread(path, /*strict=*/false, std::string(), x);
}
template <class X, class... Rest>
  requires(sizeof...(Rest) % 2 == 0) && internal::io::AnySpread<X, Rest...>
UnmatchedEntries load_matching(const std::filesystem::path& path, const std::string& name, X& x, Rest&&... rest) {
  return internal::io::load_spread(path, /*strict=*/false, name, x, rest...);
}

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// Checkpoints with spread values in them: `save` and `load` of `model.safetensors.index.json`.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/io/archive.hpp>
#include <situ/io/checkpoint.hpp>
#include <situ/io/element_type.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/safetensors_index.hpp>
#include <situ/io/spread_entries.hpp>
#include <situ/spread_io/entry_writer.hpp>
#include <situ/spread_io/slot.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal::io {

/// Compares a checkpoint with the values it is loaded into.
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

/// Reads the pieces of each entry that the parts of this process need.
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
                     ": spread values are written into several files; name their index, which ends in "
                     ".safetensors.index.json");
  }
  CrewFinder finder;
  each_spread_entry_of_parts(finder, parts...);
  SpreadEntryWriter writer(finder.crew);
  finder.crew.together("save: " + path.string(), [&] { each_spread_entry_of_parts(writer, parts...); });
  writer.finish(path);
}
template <class... Parts>
UnmatchedEntries load_spread(const std::filesystem::path& path, bool strict, Parts&&... parts) {
  CrewFinder finder;
  each_spread_entry_of_parts(finder, parts...);
  UnmatchedEntries unmatched;
  std::unique_ptr<Archive> archive;
  std::unique_ptr<SpreadEntryReader> reader;
  const std::string what = "load: " + path.string();
  // If, after all have opened it, the name still refers to what each has open, all have the same checkpoint.
  constexpr int most_attempts = 100;
  bool replaced = true;
  for (int attempt = 0; replaced && attempt != most_attempts; ++attempt) {
    finder.crew.together(what, [&] { archive = open_archive(path); });
    replaced = finder.crew.of_ranks() && finder.crew.anybody(!archive->is_current());
  }
  finder.crew.together(what, [&] {
    if (replaced) {
      throw FileError(FileErrorKind::unreadable,
                      archive->name() + ": replaced again and again while the ranks open it; load when no save runs");
    }
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

/// Whether a checkpoint can store it: terms of a sum, and parts that form no whole, are not values.
template <class X>
inline constexpr bool is_a_value = true;
template <SpreadLike X>
inline constexpr bool is_a_value<X> = std::same_as<layout_t<X>, Replicated> || is_sharded<layout_t<X>>;
template <class... X>
concept AnySpreadValue = AnySpread<X...> && (is_a_value<X> && ...);

}  // namespace internal::io

/// Writes spread values, modules with spread parameters, and other arguments of `save`, as several files: each part's
/// pieces as a .safetensors file next to `path`, the index of all, which ends in `.safetensors.index.json`. One part
/// writes for all replicas. All ranks call it; values that are not spread are written as rank 0 has them. Unless
/// something is `Sharded`, the layout is that of model hubs; for the storage of pieces see io/safetensors_index.hpp.
///
/// An older checkpoint of this name stays whole until the new one is complete, and its files are then removed; a
/// process that is stopped, at any time, leaves one of the two, and a concurrent `load` gets one of them. Throws
/// `FileError`, on all ranks, and `ValueError` for another name, and for values of several groups of ranks.
///
///     save("model.safetensors.index.json", "net", net, "epoch", epoch);
template <class X>
  requires internal::io::AnySpreadValue<X>
void save(const std::filesystem::path& path, const X& x) {
  internal::io::save_spread(path, std::string(), x);
}
template <class X, class... Rest>
  requires(sizeof...(Rest) % 2 == 0) && internal::io::AnySpreadValue<X, Rest...>
void save(const std::filesystem::path& path, const std::string& name, const X& x, const Rest&... rest) {
  internal::io::save_spread(path, name, x, rest...);
}
/// `save(path, "optimizer", optimizer)`: "an optimizer is saved by its state: fix: call spread_state".
struct an_optimizer_is_saved_by_its_state {
  struct fix_call_spread_state {
    template <class O>
      requires requires { typename O::optimizers_type; }
    fix_call_spread_state(const O&) = delete;
  };
};
// Guards, never defined.
template <class... Rest>
void save(const std::filesystem::path& path, const std::string& name,
          an_optimizer_is_saved_by_its_state::fix_call_spread_state, const Rest&... rest);
void save(const std::filesystem::path& path, a_partial_sum_is_not_a_value::fix_call_all_reduce);
void save(const std::filesystem::path& path, a_local_value_is_no_part_of_a_whole::fix_say_by_as_what_it_is);
template <class... Rest>
void save(const std::filesystem::path& path, const std::string& name, a_partial_sum_is_not_a_value::fix_call_all_reduce,
          const Rest&... rest);
template <class... Rest>
void save(const std::filesystem::path& path, const std::string& name,
          a_local_value_is_no_part_of_a_whole::fix_say_by_as_what_it_is, const Rest&... rest);

/// Replaces spread values and other arguments by those of a checkpoint: one of any layout on any number of devices, or
/// a file that `save` wrote from values that were not spread. Each part reads its piece. Shapes are those of the whole
/// values; errors, and all or nothing, as in `load` of modules, on all ranks.
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
/// See `load_matching` for values that are not spread.
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

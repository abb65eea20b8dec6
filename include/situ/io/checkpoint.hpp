// SPDX-License-Identifier: Apache-2.0
// Checkpoints: `save` and `load` of modules, optimizers and the rest of a training run's state. The file's extension
// selects the format, .safetensors or .npz. Outside `situ.hpp`; needs nlohmann-json.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/error.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/io/any_tensor.hpp>
#include <situ/io/archive.hpp>
#include <situ/io/npz.hpp>
#include <situ/io/safetensors.hpp>
#include <situ/io/safetensors_index.hpp>
#include <situ/io/sharded_safetensors.hpp>
#include <situ/io/spread_entries.hpp>
#include <situ/nn/module.hpp>
#include <situ/ops/random.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// Names that `load_matching` did not use: those missing in the file, and those only in it.
struct UnmatchedEntries {
  std::vector<std::string> missing;
  std::vector<std::string> extra;
};

namespace internal::io {

namespace detail {

struct AnyEntryFunction {
  template <class E>
  void operator()(const std::string&, E&) const {}
};
/// Types that list their own entries, such as optimizers.
template <class X>
concept ListsEntries = requires(X& x, const AnyEntryFunction& f) { x.for_each_entry(f); };

template <class X>
inline constexpr bool is_named_tensors = false;
template <class D>
inline constexpr bool is_named_tensors<NamedTensors<D>> = true;

/// The element type of a number in a file: int64 for every integer, so that files are the same on every machine.
template <class S>
using stored_t = std::conditional_t<std::same_as<S, bool> || std::same_as<S, float>, S,
                                    std::conditional_t<std::integral<S>, std::int64_t, double>>;

}  // namespace detail

/// Types that a checkpoint can hold and be loaded into: a module, a variable, a tensor, an object with a member
/// function `for_each_entry` (an optimizer), a number, a `Generator`; and vectors, arrays and optionals of modules,
/// variables and tensors. For values over several devices see situ/spread_io.hpp.
template <class X>
concept Checkpointed = (detail::ListsEntries<X> || nn::detail::holds_entries<std::remove_const_t<X>> ||
                        std::is_arithmetic_v<X> || std::same_as<std::remove_const_t<X>, Generator>) && !HoldsSpread<X>;

/// Types that can be written into one: all these, expressions and parts of tensors, and `NamedTensors`.
template <class X>
concept Saveable = Checkpointed<const X> || TensorLike<X> || detail::is_named_tensors<X>;

namespace detail {

/// Calls `f(name, entry)` for every entry of `x`: variables, tensors, numbers, generators.
template <class X, class F>
void each_entry(const std::string& prefix, X& x, F& f) {
  const auto under_prefix = [&](const std::string& name, auto& entry) {
    f(name.empty() ? prefix : nn::detail::name_of_child(prefix, name), entry);
  };
  if constexpr (is_named_tensors<std::remove_const_t<X>>) {
    for (const auto& [name, any] : x)
      any.visit([&, &name_ = name](const auto& tensor) { under_prefix(name_, tensor); });
  } else if constexpr (ListsEntries<X>) {
    x.for_each_entry(under_prefix);
  } else if constexpr (nn::detail::holds_entries<std::remove_const_t<X>>) {
    nn::for_each_entry(x, under_prefix);
  } else {
    static_assert(std::invocable<F&, const std::string&, X&>,
                  "a checkpoint can hold modules, variables, tensors, optimizers, numbers and generators");
    f(prefix, x);
  }
}
template <class F>
void each_entry_of_parts(F&) {}
template <class F, class X, class... Rest>
void each_entry_of_parts(F& f, const std::string& name, X& x, Rest&... rest) {
  each_entry(name, x, f);
  each_entry_of_parts(f, rest...);
}

/// Entries to be written.
class EntryWriter {
 public:
  std::vector<OutputEntry> entries;

  template <Element T, Device D>
  void operator()(const std::string& name, const Tensor<T, D>& tensor) {
    entries.push_back(output_entry(name, tensor));
  }
  template <FloatingElement T, Device D>
  void operator()(const std::string& name, const Variable<T, D>& variable) {
    entries.push_back(output_entry(name, variable.value()));
  }
  /// An expression, or a part of a tensor.
  template <TensorLike E>
    requires(!TensorType<E> && !VariableType<E>)
  void operator()(const std::string& name, const E& expression) {
    entries.push_back(output_entry(name, eval(no_grad(expression))));
  }
  template <class S>
    requires std::is_arithmetic_v<S>
  void operator()(const std::string& name, const S& number) {
    if constexpr (std::integral<S> && !std::same_as<S, bool>) {
      if (!std::in_range<std::int64_t>(number))
        throw ValueError("save: the number " + in_quotes(name) + " does not fit in int64");
    }
    add(name, Shape{}, std::vector<Stored<stored_t<S>>>{{static_cast<stored_t<S>>(number)}});
  }
  void operator()(const std::string& name, const Generator& generator) {
    add(name, Shape{2},
        std::vector<Stored<std::int64_t>>{{static_cast<std::int64_t>(generator.seed())},
                                          {static_cast<std::int64_t>(generator.draws())}});
  }

 private:
  template <class T>
  struct Stored {  // because std::vector<bool> has no elements to point at
    using type = T;
    T value;
  };
  template <class S>
  void add(const std::string& name, const Shape& shape, std::vector<S> values) {
    entries.push_back({name, element_type<typename S::type>(), shape,
                       [values = std::move(values)](const std::function<void(std::span<const std::byte>)>& f) {
                         f(std::as_bytes(std::span(values)));
                       }});
  }
};

/// Compares the entries of a file with those that it is to be loaded into.
class EntryComparison {
 public:
  explicit EntryComparison(const Archive& archive) : archive_(archive) {}

  template <Element T, Device D>
  void operator()(const std::string& name, Tensor<T, D>& tensor) {
    static_cast<void>(tensor.storage());  // throws while it is leased: it could not be replaced
    expect(name, element_type<T>(), tensor.shape());
  }
  template <FloatingElement T, Device D>
  void operator()(const std::string& name, Variable<T, D>& variable) {
    expect(name, element_type<T>(), variable.shape());
  }
  template <class S>
    requires std::is_arithmetic_v<S>
  void operator()(const std::string& name, S&) {
    expect(name, element_type<stored_t<S>>(), Shape{});
  }
  void operator()(const std::string& name, Generator&) { expect(name, ElementType::int64, Shape{2}); }

  /// Returns the names on one side only. Throws `FileError` (wrong_entries) for entries that differ, and if `strict`
  /// also for names on one side only.
  [[nodiscard]] UnmatchedEntries finish(bool strict) {
    for (const auto& [name, entry] : archive_.entries()) {
      if (!expected_.contains(name)) unmatched_.extra.push_back(name);
    }
    std::vector<std::string> problems;
    if (strict) {
      add(problems, "missing in the file", in_quotes(unmatched_.missing));
      add(problems, "only in the file", in_quotes(unmatched_.extra));
    }
    add(problems, "different", differences_);
    if (problems.empty()) return std::move(unmatched_);
    std::string text = archive_.name() + ": does not match the objects it is loaded into: ";
    for (std::size_t i = 0; i < problems.size(); ++i) text += (i > 0 ? "; " : "") + problems[i];
    throw FileError(FileErrorKind::wrong_entries,
                    text + (differences_.empty() ? "; load_matching takes what both have" : ""));
  }

  /// Expects an entry with this name, type and shape.
  void expect(const std::string& name, ElementType type, const Shape& shape) {
    if (!expected_.insert(name).second) throw ValueError("load: two entries named " + io::in_quotes(name));
    const auto found = archive_.entries().find(name);
    if (found == archive_.entries().end()) {
      unmatched_.missing.push_back(name);
    } else if (found->second.type != type || found->second.shape != shape) {
      const auto text = [](ElementType element, const Shape& extents) {
        return std::string(dtype_name(element)) + " " + extents.to_string();
      };
      differences_.push_back(io::in_quotes(name) + " is " + text(found->second.type, found->second.shape) +
                             " in the file and must be " + text(type, shape));
    }
  }

 private:
  [[nodiscard]] static std::vector<std::string> in_quotes(const std::vector<std::string>& names) {
    std::vector<std::string> quoted;
    for (const std::string& name : names) quoted.push_back(io::in_quotes(name));
    return quoted;
  }
  /// "2 entries missing in the file: 'a', 'b'"
  static void add(std::vector<std::string>& problems, const std::string& what, const std::vector<std::string>& items) {
    constexpr std::size_t most = 20;
    if (items.empty()) return;
    std::string text = std::to_string(items.size()) + (items.size() == 1 ? " entry " : " entries ") + what + ": ";
    for (std::size_t i = 0; i < items.size() && i < most; ++i) {
      text += (i > 0 ? ", " : "") + items[i];
    }
    problems.push_back(items.size() > most ? text + ", ..." : text);
  }

  const Archive& archive_;
  std::set<std::string> expected_;
  UnmatchedEntries unmatched_;
  std::vector<std::string> differences_;
};

/// Reads entries, and replaces the program's values once all are read.
class EntryReader {
 public:
  explicit EntryReader(Archive& archive) : archive_(archive) {}

  template <Element T, Device D>
  void operator()(const std::string& name, Tensor<T, D>& tensor) {
    if (has(name)) replace_later(tensor, read<T>(name).template to<D>());
  }
  template <FloatingElement T, Device D>
  void operator()(const std::string& name, Variable<T, D>& variable) {
    if (!has(name)) return;
    Tensor<T, D> value = read<T>(name).template to<D>();
    replace_later(variable, variable.records() ? Variable<T, D>(std::move(value)) : constant(value));
  }
  template <class S>
    requires std::is_arithmetic_v<S>
  void operator()(const std::string& name, S& number) {
    if (!has(name)) return;
    const stored_t<S> value = read<stored_t<S>>(name).item();
    if constexpr (std::integral<S> && !std::same_as<S, bool>) {
      if (!std::in_range<S>(value)) {
        throw FileError(FileErrorKind::wrong_entries, archive_.name() + ": " + in_quotes(name) + " is " +
                                                          std::to_string(value) +
                                                          ", which the program's type cannot hold");
      }
    }
    replace_later(number, static_cast<S>(value));
  }
  void operator()(const std::string& name, Generator& generator) {
    if (!has(name)) return;
    const Tensor<std::int64_t, Cpu> state = read<std::int64_t>(name);
    replace_later(generator, Generator(static_cast<std::uint64_t>(state(0)), static_cast<std::uint64_t>(state(1))));
  }

  /// Registers `replace`, to be called once all entries are read.
  void later(std::function<void()> replace) { replacements_.push_back(std::move(replace)); }
  void finish() noexcept {
    for (const std::function<void()>& replace : replacements_) replace();
  }

 private:
  [[nodiscard]] bool has(const std::string& name) const { return archive_.entries().contains(name); }
  template <Element T>
  [[nodiscard]] Tensor<T, Cpu> read(const std::string& name) {
    return archive_.read<T>(name, archive_.entries().at(name));
  }
  template <class X>
  void replace_later(X& x, X value) {
    replacements_.push_back([&x, value = std::move(value)]() mutable { x = std::move(value); });
  }

  Archive& archive_;
  std::vector<std::function<void()>> replacements_;
};

template <class... Parts>
UnmatchedEntries load_parts(Archive& archive, bool strict, Parts&&... parts) {
  EntryComparison comparison(archive);
  each_entry_of_parts(comparison, parts...);
  UnmatchedEntries unmatched = comparison.finish(strict);
  EntryReader reader(archive);
  each_entry_of_parts(reader, parts...);
  reader.finish();
  return unmatched;
}

}  // namespace detail

/// Opens a file of tensors in the format of its extension. Throws `ValueError` for another extension, and `FileError`.
[[nodiscard]] inline std::unique_ptr<Archive> open_archive(const std::filesystem::path& path) {
  if (path.extension() == ".safetensors") return std::make_unique<SafetensorsArchive>(Input(path));
  if (path.extension() == ".npz") return std::make_unique<NpzArchive>(Input(path));
  if (names_safetensors_index(path)) return std::make_unique<ShardedSafetensorsArchive>(path);
  throw ValueError(path.string() + ": the name of a file of tensors ends in .safetensors, .npz, or that of an index in "
                                   ".safetensors.index.json");
}
/// Writes the entries in the format of the file's extension.
inline void write_archive(const std::filesystem::path& path, std::vector<OutputEntry> entries) {
  if (path.extension() == ".safetensors") return write_safetensors(path, std::move(entries));
  if (path.extension() == ".npz") return write_npz(path, entries);
  throw ValueError(path.string() + ": the name of a file of tensors ends in .safetensors or .npz");
}

}  // namespace internal::io

/// Writes the parameters and buffers of a module (or anything else that is `internal::io::Saveable`, such as an
/// expression) to a file, under the names of `nn::for_each_entry`, which are PyTorch's. The file contains no devices.
/// Its name ends in `.safetensors` or `.npz` (else `ValueError`); an existing file is replaced in one step, and stays
/// unchanged if writing fails. Throws `FileError`.
///
///     save("net.safetensors", net);
template <class X>
  requires internal::io::Saveable<X>
void save(const std::filesystem::path& path, const X& x) {
  internal::io::detail::EntryWriter writer;
  internal::io::detail::each_entry(std::string(), x, writer);
  internal::io::write_archive(path, std::move(writer.entries));
}

/// Writes several objects into one file, the entries of each under a prefix: `"net.0.weight"`.
///
///     save("step.safetensors", "net", net, "optimizer", optimizer, "generator", generator, "epoch", epoch);
///     save("sample.npz", "half", cast<float16>(x), "mean", mean(x), "row", x(0, all));
template <class X, class... Rest>
  requires(sizeof...(Rest) % 2 == 0 && !(internal::io::HoldsSpread<Rest> || ...)) && internal::io::Saveable<X>
void save(const std::filesystem::path& path, const std::string& name, const X& x, const Rest&... rest) {
  internal::io::detail::EntryWriter writer;
  internal::io::detail::each_entry_of_parts(writer, name, x, rest...);
  internal::io::write_archive(path, std::move(writer.entries));
}

/// All tensors of a file, on the CPU or the given device. Like all functions that load, it also accepts the index of
/// several .safetensors files, `model.safetensors.index.json`, as on model hubs.
///
///     NamedTensors<Cuda<0>> tensors = load("net.safetensors", gpu<0>);
template <Device D = Cpu>
[[nodiscard]] NamedTensors<D> load(const std::filesystem::path& path, D = {}) {
  return internal::io::read_all<D>(*internal::io::open_archive(path));
}

/// Replaces the parameters and buffers of a module, on any device, by those of a file, which must have the same names,
/// shapes and element types. Otherwise throws `FileError` (wrong_entries), which lists the missing, extra and different
/// ones. On any exception the module is unchanged; until the end, memory holds both its old and its new values. The
/// parameters are new ones for gradients and `backward`, as after `Variable::update`.
///
///     load("net.safetensors", net);               // net may be on any device
template <class X>
  requires internal::io::Checkpointed<X> && (!Device<std::remove_const_t<X>>) && (!std::is_const_v<X>)
void load(const std::filesystem::path& path, X& x) {
  static_cast<void>(
      internal::io::detail::load_parts(*internal::io::open_archive(path), /*strict=*/true, std::string(), x));
}

/// Replaces several objects by their saved values in one file, all or none.
///
///     load("step.safetensors", "net", net, "optimizer", optimizer, "generator", generator, "epoch", epoch);
template <class X, class... Rest>
  requires(sizeof...(Rest) % 2 == 0 && !(internal::io::HoldsSpread<Rest> || ...)) &&
          internal::io::Checkpointed<X> && (!std::is_const_v<X>)
void load(const std::filesystem::path& path, const std::string& name, X& x, Rest&&... rest) {
  static_cast<void>(
      internal::io::detail::load_parts(*internal::io::open_archive(path), /*strict=*/true, name, x, rest...));
}

/// As `load`, but leaves entries that only one side has unchanged, and returns their names: to start from a part of
/// another network, or to load only the network from a checkpoint of a training run. Entries of another shape or type
/// are still a `FileError`.
///
///     load_matching("step.safetensors", "net", net);
template <class X>
  requires internal::io::Checkpointed<X> && (!std::is_const_v<X>)
UnmatchedEntries load_matching(const std::filesystem::path& path, X& x) {
  return internal::io::detail::load_parts(*internal::io::open_archive(path), /*strict=*/false, std::string(), x);
}
template <class X, class... Rest>
  requires(sizeof...(Rest) % 2 == 0 && !(internal::io::HoldsSpread<Rest> || ...)) &&
          internal::io::Checkpointed<X> && (!std::is_const_v<X>)
UnmatchedEntries load_matching(const std::filesystem::path& path, const std::string& name, X& x, Rest&&... rest) {
  return internal::io::detail::load_parts(*internal::io::open_archive(path), /*strict=*/false, name, x, rest...);
}

}  // namespace situ

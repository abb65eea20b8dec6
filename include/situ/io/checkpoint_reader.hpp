// SPDX-License-Identifier: Apache-2.0
// Entries of a file compared with those of the program that are to be loaded, and read into these once all fit.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/variable.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/io/archive.hpp>
#include <situ/io/checkpoint_entries.hpp>
#include <situ/ops/random.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// Names that `load_matching` did not use: those missing in the file, and those only in it.
struct UnmatchedEntries {
  std::vector<std::string> missing;
  std::vector<std::string> extra;
};

namespace internal::io::detail {

/// Whether `load` with `cast` converts elements of this type.
[[nodiscard]] constexpr bool is_castable(ElementType type) noexcept {
  return type == ElementType::float32 || type == ElementType::float64 || type == ElementType::float16 ||
         type == ElementType::bfloat16;
}

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
                    text + (differences_.empty() ? "; load_matching takes what both have" : "") +
                        (casts_ ? "; load(path, net, {.cast = true}) converts floating-point elements" : ""));
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
      casts_ = casts_ || (found->second.shape == shape && is_castable(found->second.type) && is_castable(type));
      differences_.push_back(io::in_quotes(name) + " is " + text(found->second.type, found->second.shape) +
                             " in the file and must be " + text(type, shape));
    }
  }

 protected:
  [[nodiscard]] const Archive& archive() const noexcept { return archive_; }

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
  bool casts_ = false;  // whether `cast` would accept one of them
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
    replace_later(variable, as_kind_of(variable, read<T>(name).template to<D>()));
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

 protected:
  [[nodiscard]] bool has(const std::string& name) const { return archive_.entries().contains(name); }
  template <Element T>
  [[nodiscard]] Tensor<T, Cpu> read(const std::string& name) {
    return archive_.read<T>(name, archive_.entries().at(name));
  }
  [[nodiscard]] ElementType type_of(const std::string& name) const { return archive_.entries().at(name).type; }
  template <class X>
  void replace_later(X& x, X value) {
    replacements_.push_back([&x, value = std::move(value)]() mutable { x = std::move(value); });
  }
  /// The value as a parameter, or as a constant, like `variable`.
  template <FloatingElement T, Device D>
  [[nodiscard]] static Variable<T, D> as_kind_of(const Variable<T, D>& variable, Tensor<T, D> value) {
    return variable.records() ? Variable<T, D>(std::move(value)) : constant(value);
  }

 private:
  Archive& archive_;
  std::vector<std::function<void()>> replacements_;
};

template <class Comparison = EntryComparison, class Reader = EntryReader, class... Parts>
UnmatchedEntries load_parts(Archive& archive, bool strict, Parts&&... parts) {
  Comparison comparison(archive);
  each_entry_of_parts(comparison, parts...);
  UnmatchedEntries unmatched = comparison.finish(strict);
  Reader reader(archive);
  each_entry_of_parts(reader, parts...);
  reader.finish();
  return unmatched;
}

}  // namespace internal::io::detail

}  // namespace situ

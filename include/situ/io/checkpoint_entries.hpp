// SPDX-License-Identifier: Apache-2.0
// What a checkpoint can hold, entry by entry, and what is written of each.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/io/any_tensor.hpp>
#include <situ/io/archive.hpp>
#include <situ/io/spread_entries.hpp>
#include <situ/nn/module.hpp>
#include <situ/ops/random.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal::io {

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
                        std::is_arithmetic_v<X> || std::same_as<std::remove_const_t<X>, Generator>) &&
                       !HoldsSpread<X>;

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

}  // namespace detail

}  // namespace situ::internal::io

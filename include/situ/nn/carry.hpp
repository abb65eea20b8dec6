// SPDX-License-Identifier: Apache-2.0
// Modules that are trained inside a CUDA graph (situ/graph.hpp).
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <situ/autograd/variable.hpp>
#include <situ/graph/carried.hpp>
#include <situ/nn/members.hpp>
#include <situ/nn/module.hpp>
#include <situ/ops/generator.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace nn::detail {

/// Calls `f(number, added)` for each number that a module, and all in it, counts: draws of generators, and steps.
template <class X, class F>
void walk_counts(X& x, F& f) {
  if constexpr (requires { x.for_each_count(f); }) {
    x.for_each_count(f);
  } else if constexpr (requires { x.has_value() ? &*x : nullptr; }) {
    if (x.has_value()) walk_counts(*x, f);
  } else if constexpr (holds_entries<X> && !VariableType<X> && !TensorType<X> && !ListsEntries<X>) {
    for_each_child(x, [&](std::string_view, auto& child) { walk_counts(child, f); });
  }
}

struct VisitEntries {
  template <class M, class F>
  static void each(const M& module, F&& f) {
    for_each_entry(module, [&](const std::string&, const auto& entry) {
      if constexpr (VariableType<decltype(entry)>) f(entry.value());
      else f(entry);
    });
  }
  /// A variable remains the same variable.
  template <class M, class F>
  static void change(M& module, F&& f) {
    for_each_entry(module, [&]<class X>(const std::string&, X& entry) {
      if constexpr (VariableType<X>) entry = X(f(entry.value()), entry.node());
      else entry = f(std::as_const(entry));
    });
  }
  template <class M, class F>
  static void count(M& module, F&& f) {
    walk_counts(module, f);
  }
};

/// A generator has no tensors.
struct VisitGenerator {
  template <class F>
  static void each(const Generator&, F&&) {}
  template <class F>
  static void change(Generator&, F&&) {}
  template <class F>
  static void count(Generator& generator, F&& f) {
    generator.for_each_count(f);
  }
};

}  // namespace nn::detail

/// For `capture`: a module that the captured function changes, as a layer with running statistics changes in training.
/// The graph has a copy of it, and carries all its parameters and buffers from one call to the next; `graph.carried()`
/// is the module as the last call left it.
///
///     auto step = capture<Cuda<0>>([](auto& net, const auto& x) { return net(x).value(); }, carry(net), x);
template <class M>
  requires(nn::detail::holds_entries<M> && !TensorType<M>)
[[nodiscard]] internal::Carried<M, nn::detail::VisitEntries> carry(M module) {
  return {std::move(module)};
}

/// The same for a generator that the captured function draws from: each call of the graph goes on where the last one
/// stopped, with the numbers that the function would draw.
///
///     auto noisy = capture<Cuda<0>>(
///         [](Generator& own, const auto& x) { return x + randn_like(x, own); }, carry(Generator(7)), x);
[[nodiscard]] inline internal::Carried<Generator, nn::detail::VisitGenerator> carry(const Generator& generator) {
  return {generator};
}

/// The same for several of these, each of which is an argument of the captured function; `graph.carried()` is a tuple.
///
///     auto learn = capture<Cuda<0>>(
///         [](auto& net, auto& optimizer, const auto& x, const auto& y) {
///           const Variable loss = mse_loss(net(x), y);
///           optimizer.step(net, backward(loss));
///           return loss.value();
///         },
///         carry(net, optimizer), x, y);
///     std::tie(net, optimizer) = learn.carried();
template <class First, class Second, class... More>
  requires requires(const First& first, const Second& second, const More&... more) {
    carry(first);
    carry(second);
    (carry(more), ...);
  }
[[nodiscard]] auto carry(First first, Second second, More... more) {
  return internal::carry_several(carry(std::move(first)), carry(std::move(second)), carry(std::move(more))...);
}

}  // namespace situ

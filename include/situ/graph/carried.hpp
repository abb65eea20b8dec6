// SPDX-License-Identifier: Apache-2.0
// `carry`: what a graph has for itself and changes from call to call, as a network does whose layers learn.
#pragma once

#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/device/device.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// What `carry` gives: a value, and how the tensors in it are visited. `Visit::each(value, f)` calls `f(tensor)` for
/// each, in an order that is always the same; `Visit::change(value, f)` puts `f(tensor)` into the place of each.
template <class S, class Visit>
struct Carried {
  S value;
};

namespace internal {

struct VisitTensor {
  template <Element T, Device D, class F>
  static void each(const Tensor<T, D>& tensor, F&& f) {
    f(tensor);
  }
  template <Element T, Device D, class F>
  static void change(Tensor<T, D>& tensor, F&& f) {
    tensor = f(std::as_const(tensor));
  }
};

struct Nothing {};
struct VisitNothing {
  template <class F>
  static void each(Nothing, F&&) {}
  template <class F>
  static void change(Nothing, F&&) {}
};
using CarriedNothing = Carried<Nothing, VisitNothing>;

}  // namespace internal

/// For `capture`: the function gets the value as its first argument, by reference, and what it makes of the tensors in
/// it is there at the next call of the graph, which has a copy of its own. A module is carried by nn/carry.hpp.
///
///     auto step = capture<Cuda<0>>([](auto& total, const auto& x) { total += x; return total * 2.f; }, carry(zeros), x);
///     Tensor twice = step(x);            // twice the sum of all arguments so far
///     Tensor total = step.carried();     // that sum
template <Element T, Device D>
[[nodiscard]] Carried<Tensor<T, D>, internal::VisitTensor> carry(Tensor<T, D> tensor) {
  return {std::move(tensor)};
}

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// `carry`: state that a graph owns and changes from call to call, such as a network in training.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/device/device.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// The result of `carry`: a value, and how to visit its tensors. `Visit::each(value, f)` calls `f(tensor)` for each, in
/// a fixed order; `Visit::change(value, f)` replaces each by `f(tensor)`; `Visit::count(value, f)`, if it is there,
/// calls `f(number, added)` for each number that the host counts and the graph must count too (core/call_count.hpp).
template <class S, class Visit>
struct Carried {
  S value;
};

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

/// Several values, visited one after the other.
template <class... Visit>
struct VisitSeveral {
  template <class Values, class F>
  static void each(const Values& values, F&& f) {
    in_turn([&]<class V>(std::type_identity<V>, const auto& value) { V::each(value, f); }, values);
  }
  template <class Values, class F>
  static void change(Values& values, F&& f) {
    in_turn([&]<class V>(std::type_identity<V>, auto& value) { V::change(value, f); }, values);
  }
  template <class Values, class F>
  static void count(Values& values, F&& f) {
    in_turn(
        [&]<class V>(std::type_identity<V>, auto& value) {
          if constexpr (requires { V::count(value, f); }) V::count(value, f);
        },
        values);
  }

 private:
  template <class Values, class F>
  static void in_turn(const F& f, Values& values) {
    std::apply([&](auto&... value) { (f(std::type_identity<Visit>(), value), ...); }, values);
  }
};
template <class... S, class... Visit>
[[nodiscard]] Carried<std::tuple<S...>, VisitSeveral<Visit...>> carry_several(Carried<S, Visit>... each) {
  return {std::tuple<S...>(std::move(each.value)...)};
}

}  // namespace internal

/// For `capture`: the function gets the value as its first argument, by reference, and its changes to the value's
/// tensors are visible at the next call of the graph, which has its own copy. nn/carry.hpp carries a module.
///
///     auto step = capture<Cuda<0>>([](auto& total, const auto& x) { total += x; return total * 2.f; }, carry(zeros), x);
///     Tensor twice = step(x);            // twice the sum of all arguments so far
///     Tensor total = step.carried();     // that sum
template <Element T, Device D>
[[nodiscard]] internal::Carried<Tensor<T, D>, internal::VisitTensor> carry(Tensor<T, D> tensor) {
  return {std::move(tensor)};
}

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// How situ's files take part: see `offer`.
#pragma once

#include "rows.hpp"

#include <situ/situ.hpp>

namespace rows {

struct Situ {
  static constexpr const char* name = "situ";

  template <class T>
  static situ::Tensor<T> operand(const Extents& extents, unsigned seed) {
    const situ::Shape shape = extents.size() == 1 ? situ::Shape{extents[0]} : situ::Shape{extents[0], extents[1]};
    return situ::reshape(situ::from_span<T>(random<T>(shape.count(), seed), {shape.count()}), shape);
  }
  template <class X>
  static auto made(X&& x) {
    if constexpr (requires { x.storage_elements(); }) return std::forward<X>(x);
    else return situ::eval(x);
  }
  template <class T>
  static situ::Tensor<T> space(const Extents& extents) {
    return operand<T>(extents, 1);
  }
  template <class Z, class X>
  static void put(Z& z, X&& x) {
    z = std::forward<X>(x);
  }
  template <class X>
  static std::vector<double> values(const X& x) {
    const auto whole = situ::contiguous(x);
    return numbers(whole.storage_elements(), whole.shape().count());
  }
};

/// What one writes without the operation of the row.
struct SituByHand : Situ {
  static constexpr const char* name = "situ by hand";
};

}  // namespace rows

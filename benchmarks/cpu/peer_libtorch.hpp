// SPDX-License-Identifier: Apache-2.0
// How LibTorch's files take part: see `offer`.
#pragma once

#include "rows.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

namespace rows {

struct LibTorch {
  static constexpr const char* name = "libtorch";

  template <class T>
  static at::Tensor operand(at::IntArrayRef extents, unsigned seed) {
    std::vector<T> elements = random<T>(c10::multiply_integers(extents), seed);
    return at::from_blob(elements.data(), extents, c10::CppTypeToScalarType<T>::value).clone();
  }
  static at::Tensor made(at::Tensor x) { return x; }
  template <class T>
  static at::Tensor space(const Extents& extents) {
    return operand<T>(extents, 1);
  }
  static std::vector<double> values(const at::Tensor& x) {
    const at::Tensor y = (x.is_complex() ? at::view_as_real(x.resolve_conj()) : x).to(at::kDouble).contiguous();
    return numbers(y.const_data_ptr<double>(), y.numel());
  }
};

}  // namespace rows

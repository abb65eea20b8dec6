// SPDX-License-Identifier: Apache-2.0
// `one_hot`: labels as vectors.
#pragma once

#include <cstdint>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/every_kernel.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// `one_hot` within an operation, which errors name.
template <Element T, TensorLike X>
[[nodiscard]] Tensor<T, device_t<X>> one_hot_of(const X& labels, std::int64_t classes, IndexedOperation operation) {
  using D = device_t<X>;
  const auto index = contiguous(labels);
  Shape shape = index.shape();
  shape.push_back(classes);
  Storage<D> storage = allocate_elements<T, D>(shape.checked());
  if (index.size() > 0) {
    call_kernel<D, kernels::OneHot, OneHots<backend_t<D>, T, value_type_t<X>>>(
        [&](auto backend) {
          one_hot(backend, index.element_pointer(), index.size(), classes, operation, static_cast<T*>(storage.data()));
        },
        writes(storage), reads(index));
  }
  return Tensor<T, D>(std::move(storage), Layout::row_major(shape));
}

}  // namespace internal

/// A last axis of `classes` positions, 1 at the label and 0 elsewhere, by default `float`. Throws `IndexError` for a
/// label that is not a class; here negative ones do not count from the end.
///
///     one_hot(tensor({2, 0}), 3)           // 0 0 1 | 1 0 0
template <Element T = float, TensorLike X>
  requires IntegerElement<value_type_t<X>>
[[nodiscard]] Tensor<T, device_t<X>> one_hot(const X& labels, std::int64_t classes) {
  return internal::one_hot_of<T>(labels, classes, internal::IndexedOperation::one_hot);
}
template <Element T = float>
Tensor<float, Cpu> one_hot(labels_are_not_integers::fix_call_cast, std::int64_t);

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// `one_hot`: labels as vectors.
#pragma once

#include <cstdint>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/ops/every_kernel.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// A last axis of `classes` positions, 1 at the label and 0 elsewhere, as `float` unless said otherwise. Throws
/// `IndexError` for a label that is no class; here negative ones do not count from the end.
///
///     one_hot(tensor({2, 0}), 3)           // 0 0 1 | 1 0 0
template <Element T = float, TensorLike X>
  requires IntegerElement<value_type_t<X>>
[[nodiscard]] Tensor<T, device_t<X>> one_hot(const X& labels, std::int64_t classes) {
  using D = device_t<X>;
  const auto index = contiguous(labels);
  Shape shape = index.shape();
  shape.push_back(classes);
  Storage<D> storage = internal::allocate_elements<T, D>(shape.checked());
  if (index.size() > 0) {
    constexpr bool has_kernel = internal::OneHots<internal::backend_t<D>, T, value_type_t<X>>;
    internal::call_kernel<D, internal::kernels::OneHot, has_kernel>(
        [&](auto backend) {
          one_hot(backend, index.element_pointer(), index.size(), classes, static_cast<T*>(storage.data()));
        },
        internal::writes(storage), internal::reads(index));
  }
  return Tensor<T, D>(std::move(storage), Layout::row_major(shape));
}

}  // namespace situ

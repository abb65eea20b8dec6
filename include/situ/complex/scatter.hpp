// SPDX-License-Identifier: Apache-2.0
// Sums of complex elements at indices: `scatter_add` and `index_add`, and the gradients of `take` and `gather`. They
// add up the parts, with every device's own kernel.
#pragma once

#include <utility>

#include <situ/complex/parts.hpp>
#include <situ/core/shape.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/indices.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal::operation {

/// (Found by ADL in the namespace of the operation.)
template <class Index, ComplexElement T, Device D>
[[nodiscard]] Tensor<T, D> scatter_complex(const ScatterAdd<Index>& operation, Tensor<T, D> x,
                                           const Tensor<T, D>& source) {
  const char* const name = operation_name(operation.called);
  const Shape written = operation.written(x.shape());
  static_cast<void>(broadcast_layout(source.layout(), written.checked(), name));  // throws shape errors first
  static_cast<void>(broadcast_layout(operation.index.layout(), written, name));
  Tensor<real_t<T>, D> parts = parts_of(x, name);
  x = {};  // so that `written` is not shared
  const ScatterAdd<Index> of_parts{{unsqueeze(operation.index, -1), operation.axis, operation.called}};
  return view_as_complex(of_parts(std::move(parts), parts_of(source, name)));
}

}  // namespace situ::internal::operation

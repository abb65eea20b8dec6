// SPDX-License-Identifier: Apache-2.0
// Sums of complex elements at indices: what `scatter_add` and `index_add` compute, and the gradients of `take` and
// `gather`. They are those of the parts, by every device's own kernel.
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

/// (Found by the namespace of the operation.)
template <class Index, ComplexElement T, Device D>
[[nodiscard]] Tensor<T, D> scatter_complex(const ScatterAdd<Index>& operation, Tensor<T, D> x,
                                           const Tensor<T, D>& source) {
  const char* const name = operation_name(operation.called);
  const Shape written = operation.written(x.shape());
  static_cast<void>(broadcast_layout(source.layout(), written.checked(), name));  // throws what shapes are to blame for
  static_cast<void>(broadcast_layout(operation.index.layout(), written, name));
  Tensor<real_t<T>, D> parts = parts_of(x, name);
  x = {};  // so that nobody else holds what is written
  const ScatterAdd<Index> of_parts{{unsqueeze(operation.index, -1), operation.axis, operation.called}};
  return view_as_complex(of_parts(std::move(parts), parts_of(source, name)));
}

}  // namespace situ::internal::operation

// SPDX-License-Identifier: Apache-2.0
// LU factorization with partial pivoting: lu.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/linalg/every_kernel.hpp>
#include <situ/linalg/operands.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// The result of `lu`: `auto [permutation, l, u] = lu(a);`
template <class X>
struct Lu {
  Tensor<std::int64_t, device_t<X>> permutation;
  X l;
  X u;
};

namespace internal::operation {

struct FactorLu : OfMatrices<FactorLu> {};

}  // namespace internal::operation

/// P A = L U with partial pivoting, for every matrix (..., m, n), k being the smaller extent: row i of L U is row
/// `permutation[i]` of A; L is (..., m, k) with a unit diagonal, U (..., k, n). A singular A is not an error: U then
/// has 0 on its diagonal. `float` and `double`. Deleted for variables, since it has no gradient: pass `no_grad(a)`.
/// Throws `ShapeError` for fewer than two axes.
///
///     auto [permutation, l, u] = lu(a);
template <class A>
  requires internal::LinAlgTensor<A> && (!Recorded<A>)
[[nodiscard]] Lu<internal::tensor_of_t<A>> lu(const A& a) {
  using T = value_type_t<A>;
  using D = device_t<A>;
  const Tensor<T, D>& matrix = internal::operand_value(a);
  internal::check_matrices(matrix.shape(), "lu");
  const Shape batch = internal::batch_shape(matrix.shape());
  const std::int64_t m = matrix.extent(-2);
  const std::int64_t n = matrix.extent(-1);
  const std::int64_t k = std::min(m, n);
  const Shape rows = internal::shape_of_batch(batch, {m});
  const Shape left = internal::shape_of_batch(batch, {m, k});
  const Shape right = internal::shape_of_batch(batch, {k, n});
  internal::Storage<D> permutation = internal::allocate_elements<std::int64_t, D>(rows);
  internal::Storage<D> l = internal::allocate_elements<T, D>(left);
  internal::Storage<D> u = internal::allocate_elements<T, D>(right);
  if (matrix.size() > 0) {
    const internal::MatricesOperand<T, D> x(matrix);
    internal::call_kernel<D, internal::kernels::Lu, internal::FactorsLu<internal::backend_t<D>, T>>(
        [&](auto backend) {
          factor_lu(backend, x.matrices, static_cast<std::int64_t*>(permutation.data()), static_cast<T*>(l.data()),
                    static_cast<T*>(u.data()));
        },
        internal::writes<std::int64_t>(permutation), internal::writes<T>(l), internal::writes<T>(u),
        internal::reads(x.tensor));
  } else if (rows.count() > 0) {  // rows without columns keep their order
    assign(permutation, Layout::row_major(rows), broadcast_to(arange<std::int64_t>(m, D{}), rows));
  }
  return {Tensor<std::int64_t, D>(std::move(permutation), Layout::row_major(rows)),
          Tensor<T, D>(std::move(l), Layout::row_major(left)), Tensor<T, D>(std::move(u), Layout::row_major(right))};
}
template <class A>
  requires Recorded<A>
Lu<internal::tensor_of_t<A>> lu(const A&) = delete;
template <class... Rest>
Tensor<float, Cpu> lu(operation_undefined_for_elements<internal::operation::FactorLu>::fix_call_cast, const Rest&...);

}  // namespace situ

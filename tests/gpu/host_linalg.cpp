// SPDX-License-Identifier: Apache-2.0
// Linear algebra on a GPU called from a file that the host compiler compiles: it includes neither cuSOLVER nor a kernel. That
// it compiles and links is what is tested where there is no GPU.
#include <doctest/doctest.h>

#include <cstdint>

#include <situ/linalg.hpp>
#include <situ/linalg/operands.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

using Gpu = Cuda<0>;

/// Every kernel there is; what is computed is shown by tests/cuda/linalg.cpp.
template <class T>
void call_all(const Tensor<T, Gpu>& a, const internal::Storage<Gpu>& out, const internal::Storage<Gpu>& integers) {
  using internal::LinAlgOperation;
  const internal::MatricesOperand<T, Gpu> x(a);
  T* const to = static_cast<T*>(out.data());
  auto* const whole = static_cast<std::int64_t*>(integers.data());
  internal::on_backend<Gpu>(
      [&](const auto& backend) {
        solve_matrices(backend, LinAlgOperation::solve, x.matrices, x.matrices, to);
        invert_matrices(backend, LinAlgOperation::inv, x.matrices, to);
        find_determinants(backend, x.matrices, to);
        find_log_determinants(backend, x.matrices, to, to + 1);
        factor_cholesky(backend, x.matrices, true, to);
        solve_triangles(backend, LinAlgOperation::solve_triangular, x.matrices, Triangle::upper, false, x.matrices, to);
        factor_lu(backend, x.matrices, whole, to, to + a.size());
        factor_qr(backend, x.matrices, false, to, to + a.size());
        solve_least_squares(backend, x.matrices, x.matrices, to);
        solve_least_squares_of_any_rank(backend, x.matrices, x.matrices, 1e-6, to, whole);
        find_eigen_of_symmetric(backend, LinAlgOperation::eigh, x.matrices, to, to + a.size());
        find_singular_values(backend, LinAlgOperation::svd, x.matrices, false, to, to + a.size(), to + 2 * a.size());
      },
      internal::writes(out), internal::writes(integers), internal::reads(x.tensor));
}

TEST_CASE("a host-compiled file calls linear algebra on a GPU") {
  const auto filled = []<class T>(T) {
    const Tensor<T, Gpu> a = Tensor<T>(eye<T>(4) * 4).template to<Gpu>();  // what has kernels is compiled by nvcc
    const internal::Storage<Gpu> out = internal::allocate_elements<T, Gpu>({3, 4, 4});
    call_all(a, out, internal::allocate_elements<std::int64_t, Gpu>({4}));
    const Tensor<T, Cpu> values = Tensor<T, Gpu>(out, Layout::row_major({3, 4, 4})).template to<Cpu>();
    CHECK(values(1, 0, 0) == 4);  // the singular values are written last
  };
  filled(float{});
  filled(double{});
}

}  // namespace

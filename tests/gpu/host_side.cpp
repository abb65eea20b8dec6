// SPDX-License-Identifier: Apache-2.0
// Programs that nvcc ended with a segmentation fault, or wrote down for the host's compiler so that it could not read
// them: constrained friends of `Lanes` that a generic lambda reaches, lambdas in constants of a namespace, a braced
// argument that ends with empty braces.
#include <situ/linalg.hpp>
#include <situ/situ.hpp>

#include "../functions.hpp"

namespace {

template <class F, class X>
auto called(F f, const X& x) {
  return situ::eval(f(x));
}

}  // namespace

situ::Tensor<float> rows_of_lanes(const situ::Tensor<float>& x) {
  return called([](const auto& a) { return situ::softmax(a, 1) + situ::var(a) + situ::tanh(situ::log(a)); }, x);
}

int rows_of_the_table() {
  int rows = 0;
  function_table::for_each_unary([&](const auto& row) { rows += row.name != nullptr; });
  function_table::for_each_binary([&](const auto& row) { rows += row.name != nullptr; });
  return rows;
}

situ::Tensor<float, situ::Cuda<0>> linear_algebra(const situ::Tensor<float, situ::Cuda<0>>& a) {
  const auto [q, r] = situ::qr(situ::inv(a));
  const auto [values, vectors] = situ::eigh(situ::cholesky(a));
  const auto [u, s, vh] = situ::svd(situ::lstsq(q, r));
  const auto x = situ::solve(a, vectors) + situ::solve_triangular(a, u, situ::Triangle::lower);
  return x + situ::det(vh) + situ::expm(q) + s;
}

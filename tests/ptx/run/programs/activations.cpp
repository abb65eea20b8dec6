// SPDX-License-Identifier: Apache-2.0
// Activations, norms, scans and order, with their gradients.
#include <situ/autograd.hpp>
#include <situ/nn.hpp>

#include "program.hpp"

int main() {
  using namespace ptx_programs;
  using V = Variable<float, Cuda<0>>;
  const V z(normal<float>({9, 11, 3})), p(uniform<float>({9, 33}));
  const Gpu<float> y = uniform<float>({9, 33});
  const auto a =
      backward(sum(celu(p, 0.7f) + hardsigmoid(p) + hardswish(p)) +
               sum(hardtanh(p, -0.5f, 0.5f) + mish(p) + softsign(p)) + sum(prelu(z, 0.2f * ones<float>({11}, gpu<0>))) +
               sum(var(p, 1)) + sum(norm(p, {1})) + sum(stddev(z, {0, 2}, Ddof{1})));
  Gpu<float> by_p = a[p], by_z = a[z];
  const auto b =
      backward(sum(cumsum(p, 1) * p) + sum(sort(p, 1) * y) + sum(max(z, 1)) + sum(prod(p(all, range(0, 5)), 1)) +
               sum(softmax(z, 2) * z) + sum(where(p > 0.5f, 2.f * p, 3.f * p + 1.f)));
  Gpu<float> also_by_p = b[p], also_by_z = b[z];
  return finish();
}

// SPDX-License-Identifier: Apache-2.0
// What an outside project does with the library: compute, send to a GPU where there is one, and compare the version
// with the package's.
#include <situ/situ.hpp>
#include <situ/version.hpp>

#include <cstdio>

int main() {
  using namespace situ;
  Tensor x = tensor({{1.0f, 2.0f}, {3.0f, 4.0f}});
  with_device(try_gpu<0>(), [&](auto device) { x = x.to(device).to(cpu); });
  Tensor y = x * 2.0f + 1.0f;
  const float total = sum(y).item();
  const float product = sum(matmul(x, x)).item();
  std::printf("situ %d: sum %g, product %g\n", SITU_VERSION, static_cast<double>(total), static_cast<double>(product));
  return total == 24.0f && product == 54.0f && SITU_VERSION == EXPECTED_VERSION ? 0 : 1;
}

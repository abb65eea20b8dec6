// SPDX-License-Identifier: Apache-2.0
// Ten seconds that say whether a GPU can be used at all: a copy to it, a kernel, a product of matrices, a copy back. What
// is wrong stands in the last line; the exit code is 0 if nothing is, 77 without a GPU.
#include <cstdio>
#include <exception>

#include <situ/situ.hpp>

namespace {

using namespace situ;

/// What the GPU computes of `x` with a kernel and a product, by the host's means.
bool same_as_host() {
  const Tensor<float> x = reshape(linspace<float>(-1.f, 1.f, 256 * 256), {256, 256});
  const Tensor<float> near = 2.f * x + 1.f;
  const Tensor<float, Cuda<0>> moved = x.to(gpu<0>);
  const Tensor<float, Cuda<0>> computed = 2.f * moved + 1.f;
  if (!array_equal(computed.to(cpu), near).item()) {
    std::puts("a kernel, or a copy: the elements of 2 * x + 1 are not those of the host");
    return false;
  }
  if (!allclose(matmul(computed, moved).to(cpu), matmul(near, x), {.relative = 1e-4, .absolute = 1e-3}).item()) {
    std::puts("a product of matrices is not that of the host");
    return false;
  }
  return true;
}

}  // namespace

int main() {
  try {
    if (device_count<Cuda>() == 0) {
      std::puts("no GPU");
      return 77;
    }
    if (!same_as_host()) return 1;
    std::puts("a copy each way, a kernel and a product are right");
    return 0;
  } catch (const std::exception& error) {
    std::puts(error.what());
    return 1;
  }
}

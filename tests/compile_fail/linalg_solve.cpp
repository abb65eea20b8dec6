// SPDX-License-Identifier: Apache-2.0
// A system whose matrix is on a GPU and whose right-hand side is on the CPU.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<0>)
#include <situ/linalg.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<0>>& a, const Tensor<float, Cpu>& b) {
  return solve(a, b.to(gpu<0>));
}
#else
auto mistake(const Tensor<float, Cuda<0>>& a, const Tensor<float, Cpu>& b) {
  return solve(a, b);
}
#endif

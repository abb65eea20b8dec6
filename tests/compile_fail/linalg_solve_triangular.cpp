// SPDX-License-Identifier: Apache-2.0
// A triangular system with operands on two devices, and options behind them.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<0>)
#include <situ/linalg.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& a, const Tensor<float, Cuda<0>>& b) {
  return solve_triangular(a, b.to(cpu), Triangle::lower);
}
#else
auto mistake(const Tensor<float, Cpu>& a, const Tensor<float, Cuda<0>>& b) {
  return solve_triangular(a, b, Triangle::lower);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// A product of matrices, with a precision.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/linalg.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  return matmul(x, w.to<Cpu>(), Precision::tf32);
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  return matmul(x, w, Precision::tf32);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// `+=`.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  x += w.to<Cpu>();
}
#else
void mistake(Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  x += w;
}
#endif

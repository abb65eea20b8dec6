// SPDX-License-Identifier: Apache-2.0
// A tensor from one of another device.
// first: (?=.*\bCpu\b)(?=.*Cuda<1>)
// within: tensors_live_on_different_devices
// within: fix_call_dot_to
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Tensor<float, Cuda<1>>& w) {
  Tensor<float, Cpu> x = w.to<Cpu>();
}
#else
void mistake(const Tensor<float, Cuda<1>>& w) {
  Tensor<float, Cpu> x = w;
}
#endif

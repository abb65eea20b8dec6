// SPDX-License-Identifier: Apache-2.0
// A returned value.
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
Tensor<float, Cpu> mistake(const Tensor<float, Cuda<1>>& w) {
  return w.to<Cpu>();
}
#else
Tensor<float, Cpu> mistake(const Tensor<float, Cuda<1>>& w) {
  return w;
}
#endif

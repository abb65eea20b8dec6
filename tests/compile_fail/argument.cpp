// SPDX-License-Identifier: Apache-2.0
// An argument for a parameter of another device.
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

void loss(Tensor<float, Cpu> prediction);

#ifdef SITU_CONTROL
void mistake(const Tensor<float, Cuda<1>>& w) {
  loss(w.to<Cpu>());
}
#else
void mistake(const Tensor<float, Cuda<1>>& w) {
  loss(w);
}
#endif

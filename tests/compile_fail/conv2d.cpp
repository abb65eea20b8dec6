// SPDX-License-Identifier: Apache-2.0
// conv2d: weight and bias are elsewhere, and options stand behind them.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/convolution.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  return conv2d(x, w.to<Cpu>(), w.to<Cpu>(), {.padding = 1});
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  return conv2d(x, w, w, {.padding = 1});
}
#endif

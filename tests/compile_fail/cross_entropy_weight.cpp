// SPDX-License-Identifier: Apache-2.0
// cross_entropy: the weight of the classes is elsewhere, and options stand behind it.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/class_loss.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<std::int64_t, Cpu>& y, const Tensor<float, Cuda<1>>& w) {
  return cross_entropy(x, y, w.to<Cpu>(), {.ignore_index = -100});
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<std::int64_t, Cpu>& y, const Tensor<float, Cuda<1>>& w) {
  return cross_entropy(x, y, w, {.ignore_index = -100});
}
#endif

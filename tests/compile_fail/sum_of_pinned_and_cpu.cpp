// SPDX-License-Identifier: Apache-2.0
// Pinned memory is a device of its own.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bPinned\b)(?=.*\bCpu\b)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Pinned>& x, const Tensor<float, Cpu>& w) {
  return x + w.to(pinned);
}
#else
auto mistake(const Tensor<float, Pinned>& x, const Tensor<float, Cpu>& w) {
  return x + w;
}
#endif

// SPDX-License-Identifier: Apache-2.0
// bincount: the weights are elsewhere.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#include <situ/order.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<std::int64_t, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  return bincount(x, w.to<Cpu>());
}
#else
auto mistake(const Tensor<std::int64_t, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  return bincount(x, w);
}
#endif

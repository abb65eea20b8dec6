// SPDX-License-Identifier: Apache-2.0
// take: the indices are elsewhere.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/gather.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<std::int64_t, Cuda<1>>& index) {
  return take(x, index.to<Cpu>(), 0);
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<std::int64_t, Cuda<1>>& index) {
  return take(x, index, 0);
}
#endif

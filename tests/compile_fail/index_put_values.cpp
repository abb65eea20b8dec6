// SPDX-License-Identifier: Apache-2.0
// index_put: the values are elsewhere.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#ifdef SITU_CONTROL
#include <situ/indexing.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/coordinates.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<int, Cpu>& at, const Tensor<float, Cuda<1>>& v) {
  return index_put(x, {at}, v.to<Cpu>());
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<int, Cpu>& at, const Tensor<float, Cuda<1>>& v) {
  return index_put(x, {at}, v);
}
#endif

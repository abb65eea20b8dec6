// SPDX-License-Identifier: Apache-2.0
// x(rows, columns): a list is elsewhere.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#ifdef SITU_CONTROL
#include <situ/indexing.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/coordinates.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<int, Cpu>& at, const Tensor<int, Cuda<1>>& there) {
  return x(at, there.to<Cpu>());
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<int, Cpu>& at, const Tensor<int, Cuda<1>>& there) {
  return x(at, there);
}
#endif

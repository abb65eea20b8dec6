// SPDX-License-Identifier: Apache-2.0
// masked_select with a bound: the mask is on the device of the elements.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*Cuda<0>)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/mask.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<0>>& x, const Tensor<bool>& mask) {
  return masked_select(x, mask.to(gpu<0>), {.size = 10});
}
#else
auto mistake(const Tensor<float, Cuda<0>>& x, const Tensor<bool>& mask) {
  return masked_select(x, mask, {.size = 10});
}
#endif

// SPDX-License-Identifier: Apache-2.0
// where: the mask must be bool.
// first: (?=.*the_mask_is_not_bool)(?=.*fix_compare_or_call_cast_bool)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/select.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  return where(x != 0, x, 1);
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return where(x, x, 1);
}
#endif

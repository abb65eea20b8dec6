// SPDX-License-Identifier: Apache-2.0
// masked_scatter: the mask is a condition.
// first: the_mask_is_not_bool::fix_compare_or_call_cast_bool
#ifdef SITU_CONTROL
#include <situ/indexing.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/masked_scatter.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  return masked_scatter(x, x != 0, x);
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return masked_scatter(x, x, x);
}
#endif

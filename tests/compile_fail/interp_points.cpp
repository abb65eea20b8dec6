// SPDX-License-Identifier: Apache-2.0
// interp: the points have another element type than x.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)
#include <situ/order.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x, const Tensor<double>& xp, const Tensor<double>& fp) {
  return interp(cast<double>(x), xp, fp);
}
#else
auto mistake(const Tensor<float>& x, const Tensor<double>& xp, const Tensor<double>& fp) {
  return interp(x, xp, fp);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// interp: a value between two integers is none.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*OfInterpolation)
#include <situ/order.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int>& x, const Tensor<int>& xp, const Tensor<int>& fp) {
  return interp(cast<double>(x), cast<double>(xp), cast<double>(fp));
}
#else
auto mistake(const Tensor<int>& x, const Tensor<int>& xp, const Tensor<int>& fp) {
  return interp(x, xp, fp);
}
#endif

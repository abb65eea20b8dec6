// SPDX-License-Identifier: Apache-2.0
// searchsorted: the values have other elements.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*float)(?=.*double)
#include <situ/order.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<double, Cpu>& y) {
  return searchsorted(x, cast<float>(y));
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<double, Cpu>& y) {
  return searchsorted(x, y);
}
#endif

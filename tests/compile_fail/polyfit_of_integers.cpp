// SPDX-License-Identifier: Apache-2.0
// polyfit: integers are not solved for.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*OfPolynomialFit)
#include <situ/linalg.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int>& x, const Tensor<int>& y) {
  return polyfit(cast<double>(x), cast<double>(y), 2);
}
#else
auto mistake(const Tensor<int>& x, const Tensor<int>& y) {
  return polyfit(x, y, 2);
}
#endif

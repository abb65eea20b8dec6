// SPDX-License-Identifier: Apache-2.0
// polyval: the coefficients of a fit in double, at places in float.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)
#include <situ/linalg.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<double>& p, const Tensor<float>& x) {
  return polyval(p, cast<double>(x));
}
#else
auto mistake(const Tensor<double>& p, const Tensor<float>& x) {
  return polyval(p, x);
}
#endif

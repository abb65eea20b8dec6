// SPDX-License-Identifier: Apache-2.0
// A system of element types that differ.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*float)(?=.*double)
#include <situ/linalg.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<double>& a, const Tensor<float>& b) {
  return cholesky_solve(a, cast<double>(b));
}
#else
auto mistake(const Tensor<double>& a, const Tensor<float>& b) {
  return cholesky_solve(a, b);
}
#endif

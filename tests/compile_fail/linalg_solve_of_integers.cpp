// SPDX-License-Identifier: Apache-2.0
// A system of integers.
// first: (?=.*operation_undefined_for_elements)(?=.*Solve)(?=.*fix_call_cast)
#include <situ/linalg.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int>& a, const Tensor<int>& b) {
  return solve(cast<float>(a), cast<float>(b));
}
#else
auto mistake(const Tensor<int>& a, const Tensor<int>& b) {
  return solve(a, b);
}
#endif

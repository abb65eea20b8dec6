// SPDX-License-Identifier: Apache-2.0
// There is no inverse of integers.
// first: (?=.*operation_undefined_for_elements)(?=.*Inverse)(?=.*fix_call_cast)
#include <situ/linalg.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<std::int64_t>& a) {
  return inv(cast<double>(a));
}
#else
auto mistake(const Tensor<std::int64_t>& a) {
  return inv(a);
}
#endif

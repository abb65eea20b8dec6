// SPDX-License-Identifier: Apache-2.0
// median: elements without a fraction.
// first: (?=.*operation_undefined_for_elements)(?=.*Quantile)(?=.*fix_call_cast)
#include <situ/order.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<std::int64_t, Cpu>& x) {
  return median(cast<float>(x), 1);
}
#else
auto mistake(const Tensor<std::int64_t, Cpu>& x) {
  return median(x, 1);
}
#endif

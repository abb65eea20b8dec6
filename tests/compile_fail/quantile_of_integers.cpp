// SPDX-License-Identifier: Apache-2.0
// quantile: elements without a fraction.
// first: (?=.*operation_undefined_for_elements)(?=.*Quantile)(?=.*fix_call_cast)
#include <situ/order.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<std::int64_t, Cpu>& x) {
  return quantile(cast<float>(x), 0.9);
}
#else
auto mistake(const Tensor<std::int64_t, Cpu>& x) {
  return quantile(x, 0.9);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// multinomial: weights without a fraction.
// first: (?=.*operation_undefined_for_elements)(?=.*Multinomial)(?=.*fix_call_cast)
#include <situ/order.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<std::int64_t, Cpu>& x) {
  return multinomial(cast<float>(x), 2);
}
#else
auto mistake(const Tensor<std::int64_t, Cpu>& x) {
  return multinomial(x, 2);
}
#endif

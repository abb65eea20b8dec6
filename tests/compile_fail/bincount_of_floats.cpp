// SPDX-License-Identifier: Apache-2.0
// bincount: numbers that are not whole.
// first: (?=.*operation_undefined_for_elements)(?=.*BinCount)(?=.*fix_call_cast)
#include <situ/order.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  return bincount(cast<std::int64_t>(x));
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return bincount(x);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// histogram: edges of integers have elements of double.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)
#include <situ/order.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int>& x, const Tensor<int>& edges) {
  return histogram(x, cast<double>(edges)).hist;
}
#else
auto mistake(const Tensor<int>& x, const Tensor<int>& edges) {
  return histogram(x, edges).hist;
}
#endif

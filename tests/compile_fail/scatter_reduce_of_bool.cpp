// SPDX-License-Identifier: Apache-2.0
// scatter_reduce: truth values have no product.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*ReduceAtIndices)
#include <situ/indexing.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<bool>& x, const Tensor<int>& at) {
  return scatter_reduce<ScatterReduction::prod>(cast<int>(x), 0, at, cast<int>(x));
}
#else
auto mistake(const Tensor<bool>& x, const Tensor<int>& at) {
  return scatter_reduce<ScatterReduction::prod>(x, 0, at, x);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// avg_pool1d of integers.
// first: (?=.*operation_undefined_for_elements)(?=.*AvgPool1d)(?=.*fix_call_cast)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/windows1d.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int>& x) {
  return avg_pool1d(cast<float>(x), 2);
}
#else
auto mistake(const Tensor<int>& x) {
  return avg_pool1d(x, 2);
}
#endif

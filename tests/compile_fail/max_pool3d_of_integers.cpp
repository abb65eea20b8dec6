// SPDX-License-Identifier: Apache-2.0
// max_pool3d of integers.
// first: (?=.*operation_undefined_for_elements)(?=.*MaxPool3d)(?=.*fix_call_cast)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/windows3d.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int>& x) {
  return max_pool3d(cast<float>(x), {1, 2, 2});
}
#else
auto mistake(const Tensor<int>& x) {
  return max_pool3d(x, {1, 2, 2});
}
#endif

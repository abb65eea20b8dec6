// SPDX-License-Identifier: Apache-2.0
// max_pool2d of integers that no float holds.
// first: (?=.*operation_undefined_for_elements)(?=.*MaxPool2d)(?=.*fix_call_cast)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/pooling.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<std::int64_t>& x) {
  return max_pool2d(cast<double>(x), 2);
}
#else
auto mistake(const Tensor<std::int64_t>& x) {
  return max_pool2d(x, 2);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// conv2d of integers.
// first: (?=.*operation_undefined_for_elements)(?=.*Conv2d)(?=.*fix_call_cast)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/convolution.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int>& x) {
  return conv2d(cast<float>(x), cast<float>(x), {.padding = 1});
}
#else
auto mistake(const Tensor<int>& x) {
  return conv2d(x, x, {.padding = 1});
}
#endif

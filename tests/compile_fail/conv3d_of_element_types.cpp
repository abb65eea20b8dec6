// SPDX-License-Identifier: Apache-2.0
// conv3d of float and double.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*float)(?=.*double)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/windows3d.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x, const Tensor<double>& w) {
  return conv3d(x, cast<float>(w), {.padding = 1});
}
#else
auto mistake(const Tensor<float>& x, const Tensor<double>& w) {
  return conv3d(x, w, {.padding = 1});
}
#endif

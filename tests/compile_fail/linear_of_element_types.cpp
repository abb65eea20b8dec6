// SPDX-License-Identifier: Apache-2.0
// linear: the weight has another element type.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*float)(?=.*double)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/linear.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<double, Cpu>& w) {
  return linear(cast<double>(x), w);
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<double, Cpu>& w) {
  return linear(x, w);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// cross_entropy of float with a weight of double.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*\bfloat\b)(?=.*\bdouble\b)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/class_loss.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<std::int64_t, Cpu>& y, const Tensor<double, Cpu>& w) {
  return cross_entropy(x, y, cast<float>(w));
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<std::int64_t, Cpu>& y, const Tensor<double, Cpu>& w) {
  return cross_entropy(x, y, w);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Labels are int64.
// first: (?=.*labels_are_not_int64)(?=.*fix_call_cast)(?=.*float)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/class_loss.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  return cross_entropy(x, cast<std::int64_t>(x));
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return cross_entropy(x, x);
}
#endif

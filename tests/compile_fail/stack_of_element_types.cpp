// SPDX-License-Identifier: Apache-2.0
// stack: element types differ.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*float)(?=.*double)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/join.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<double, Cpu>& w) {
  return stack(x, cast<float>(w));
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<double, Cpu>& w) {
  return stack(x, w);
}
#endif

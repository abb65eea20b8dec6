// SPDX-License-Identifier: Apache-2.0
// Elements do not promote.
// kind: element types that differ
// first: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*float)(?=.*double)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<double, Cpu>& w) {
  return cast<double>(x) + w;
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<double, Cpu>& w) {
  return x + w;
}
#endif

// SPDX-License-Identifier: Apache-2.0
// where: the choices differ in element type.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*float)(?=.*double)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/select.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<bool, Cpu>& mask, const Tensor<float, Cpu>& x, const Tensor<double, Cpu>& w) {
  return where(mask, cast<double>(x), w);
}
#else
auto mistake(const Tensor<bool, Cpu>& mask, const Tensor<float, Cpu>& x, const Tensor<double, Cpu>& w) {
  return where(mask, x, w);
}
#endif

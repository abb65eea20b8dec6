// SPDX-License-Identifier: Apache-2.0
// tensordot: of one element type.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*float)(?=.*double)
#ifdef SITU_CONTROL
#include <situ/einsum.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/einsum/tensordot.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<double, Cpu>& y) {
  return tensordot(x, cast<float>(y), 1);
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<double, Cpu>& y) {
  return tensordot(x, y, 1);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// cdist: distances are floating numbers.
// first: (?=.*operation_undefined_for_elements)(?=.*Cdist)(?=.*fix_call_cast)
#ifdef SITU_CONTROL
#include <situ/distance.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/cdist.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int, Cpu>& x) {
  return cdist(cast<float>(x), cast<float>(x));
}
#else
auto mistake(const Tensor<int, Cpu>& x) {
  return cdist(x, x);
}
#endif

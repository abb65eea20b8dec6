// SPDX-License-Identifier: Apache-2.0
// conv1d of integers.
// first: (?=.*operation_undefined_for_elements)(?=.*Conv1d)(?=.*fix_call_cast)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/windows1d.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int>& x) {
  return conv1d(cast<float>(x), cast<float>(x));
}
#else
auto mistake(const Tensor<int>& x) {
  return conv1d(x, x);
}
#endif

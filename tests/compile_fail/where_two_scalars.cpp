// SPDX-License-Identifier: Apache-2.0
// where: two numbers of different types beside a mask.
// first: (?=.*two_scalars_beside_a_mask)(?=.*fix_call_full)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/select.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<bool>& mask) {
  return where(mask, 1.f, 0.5f);
}
#else
auto mistake(const Tensor<bool>& mask) {
  return where(mask, 1, 0.5f);
}
#endif

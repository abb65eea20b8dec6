// SPDX-License-Identifier: Apache-2.0
// Indices are integers.
// kind: indices that are not integers
// first: (?=.*indices_are_not_integers)(?=.*fix_call_cast)(?=.*float)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/gather.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  return take(x, cast<std::int64_t>(x), 0);
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return take(x, x, 0);
}
#endif

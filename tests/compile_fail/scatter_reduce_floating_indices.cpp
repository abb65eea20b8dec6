// SPDX-License-Identifier: Apache-2.0
// scatter_reduce: indices are integers.
// first: (?=.*indices_are_not_integers)(?=.*fix_call_cast)(?=.*float)
#ifdef SITU_CONTROL
#include <situ/indexing.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/scatter_reduce.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  return scatter_reduce<ScatterReduction::max>(x, 0, cast<int>(x), x);
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return scatter_reduce<ScatterReduction::max>(x, 0, x, x);
}
#endif

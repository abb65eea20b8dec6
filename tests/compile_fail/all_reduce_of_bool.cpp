// SPDX-License-Identifier: Apache-2.0
// all_reduce: bool has no sum.
// first: (?=.*elements_have_no_sum)(?=.*fix_call_cast)(?=.*bool)(?=.*Cuda<0>)
#include <situ/device/runtime.hpp>
#include <situ/distributed/all_reduce.hpp>
#include <situ/ops/select.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<bool, Cuda<0>>& a, const Tensor<bool, Cuda<1>>& b) {
  return all_reduce(cast<std::int32_t>(a), cast<std::int32_t>(b));
}
#else
auto mistake(const Tensor<bool, Cuda<0>>& a, const Tensor<bool, Cuda<1>>& b) { return all_reduce(a, b); }
#endif

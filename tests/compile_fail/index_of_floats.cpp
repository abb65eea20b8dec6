// SPDX-License-Identifier: Apache-2.0
// An index that is a tensor is a mask, or positions.
// first: (?=.*an_index_is_a_mask_or_integers)(?=.*fix_compare_or_call_cast)(?=.*float)
#ifdef SITU_CONTROL
#include <situ/indexing.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/tensor/tensor.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& at) {
  return x(at > 0) + x(cast<std::int64_t>(at));
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& at) {
  return x(at);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// The maximum of two tensors by the standard library, which asks for one condition.
// first: (?=.*a_tensor_is_no_condition)(?=.*fix_call_dot_item)
// first[clang]: deleted
// within: (?=.*a_tensor_is_no_condition)(?=.*fix_call_dot_item)
#include <algorithm>

#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
Tensor<float> mistake(const Tensor<float>& a, const Tensor<float>& b) {
  return maximum(a, b);
}
#else
Tensor<float> mistake(const Tensor<float>& a, const Tensor<float>& b) {
  return std::max(a, b);
}
#endif

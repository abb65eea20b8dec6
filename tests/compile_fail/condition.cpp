// SPDX-License-Identifier: Apache-2.0
// A tensor as the condition of an if.
// kind: a tensor as a condition
// first: (?=.*a_tensor_is_no_condition)(?=.*fix_call_dot_item)
// first[clang]: deleted
// within: (?=.*a_tensor_is_no_condition)(?=.*fix_call_dot_item)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
bool mistake(const Tensor<float>& a) {
  if (sum(a).item() > 3) return true;
  return false;
}
#else
bool mistake(const Tensor<float>& a) {
  if (sum(a) > 3) return true;
  return false;
}
#endif

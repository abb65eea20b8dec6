// SPDX-License-Identifier: Apache-2.0
// An expression given another value.
// kind: an expression that changes
// first: (?=.*expressions_are_of_different_types)(?=.*fix_call_eval)
// first[clang]: deleted
// within: (?=.*expressions_are_of_different_types)(?=.*fix_call_eval)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
Tensor<float> mistake(const Tensor<float>& a) {
  Tensor y = a * 2;
  y = y + 1;
  return y;
}
#else
Tensor<float> mistake(const Tensor<float>& a) {
  auto y = a * 2;
  y = y + 1;
  return y;
}
#endif

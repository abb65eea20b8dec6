// SPDX-License-Identifier: Apache-2.0
// A pointer into the value of an expression.
// first: fix_give_the_tensor_a_name
// first[clang]: deleted
// within: fix_give_the_tensor_a_name|data
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
float mistake(const Tensor<float>& a) {
  Tensor y = a * 2;
  return *y.data();
}
#else
float mistake(const Tensor<float>& a) {
  return *(a * 2).data();
}
#endif

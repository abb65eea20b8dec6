// SPDX-License-Identifier: Apache-2.0
// A tensor made of an expression over variables, which would lose the gradient.
// kind: a gradient that would be lost
// first: (?=.*Variable)(?=.*Tensor)
// within: a_tensor_would_lose_the_gradient
// within: fix_make_it_a_Variable_or_call_no_grad
#include <situ/autograd.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Variable<float>& v) {
  Tensor y = no_grad(v * 2);
  return y;
}
#else
auto mistake(const Variable<float>& v) {
  Tensor y = v * 2;
  return y;
}
#endif

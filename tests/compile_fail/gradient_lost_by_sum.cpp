// SPDX-License-Identifier: Apache-2.0
// A sum of a variable, kept as a tensor.
// first: (?=.*Variable)(?=.*Tensor)
// within: a_tensor_would_lose_the_gradient
// within: fix_make_it_a_Variable_or_call_no_grad
#include <situ/autograd.hpp>

using namespace situ;

#ifdef SITU_CONTROL
Tensor<float> mistake(const Variable<float>& v) { return sum(no_grad(v)); }
#else
Tensor<float> mistake(const Variable<float>& v) { return sum(v); }
#endif

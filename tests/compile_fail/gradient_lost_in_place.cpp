// SPDX-License-Identifier: Apache-2.0
// A loss added to a tensor, which would lose the gradient.
// first: (?=.*a_tensor_would_lose_the_gradient)(?=.*fix_make_it_a_Variable_or_call_no_grad)
#include <situ/autograd.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float>& total, const Variable<float>& v) { total += no_grad(v * 2); }
#else
void mistake(Tensor<float>& total, const Variable<float>& v) { total += v * 2; }
#endif

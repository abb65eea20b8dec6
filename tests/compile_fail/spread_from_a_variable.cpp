// SPDX-License-Identifier: Apache-2.0
// A Spread of a variable, its type deduced.
// first: (?=.*a_Spread_would_lose_the_gradient)(?=.*fix_make_it_a_SpreadVariable_or_call_no_grad)
// first[clang]: invokes a deleted function
// within: a_Spread_would_lose_the_gradient::fix_make_it_a_SpreadVariable_or_call_no_grad
#include <situ/parallel/variable.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const SpreadVariable<float, Replicated, Cuda<0>, Cuda<1>>& v) { Spread s = no_grad(v); }
#else
void mistake(const SpreadVariable<float, Replicated, Cuda<0>, Cuda<1>>& v) { Spread s = v; }
#endif

// SPDX-License-Identifier: Apache-2.0
// A result that records gradients assigned to a Spread.
// first: (?=.*a_Spread_would_lose_the_gradient)(?=.*fix_make_it_a_SpreadVariable_or_call_no_grad)
// first[clang]: (?=.*SpreadVariable<)(?=.*deleted)
// within: a_Spread_would_lose_the_gradient::fix_make_it_a_SpreadVariable_or_call_no_grad
#include <situ/device/runtime.hpp>
#include <situ/parallel/variable.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const SpreadVariable<float, Replicated, Cuda<0>, Cuda<1>>& v) { On<Replicated> y = v.value(); }
#else
void mistake(const SpreadVariable<float, Replicated, Cuda<0>, Cuda<1>>& v) { On<Replicated> y = v; }
#endif

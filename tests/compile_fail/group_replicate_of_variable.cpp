// SPDX-License-Identifier: Apache-2.0
// What is sent to other ranks has no gradient.
// first: (?=.*sending_would_lose_the_gradient)(?=.*fix_call_no_grad)
#include <situ/autograd/variable.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/world/group.hpp>

using namespace situ;
template <class L>
using OnRanks = Spread<float, L, Ranks<Cpu>>;

#ifdef SITU_CONTROL
auto mistake(const Group<Cpu>& group, const Variable<float>& x) { return group.replicate(no_grad(x)); }
#else
auto mistake(const Group<Cpu>& group, const Variable<float>& x) { return group.replicate(x); }
#endif

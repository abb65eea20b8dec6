// SPDX-License-Identifier: Apache-2.0
// scatter of what records gradients, which would be lost.
// first: (?=.*sending_would_lose_the_gradient)(?=.*fix_call_no_grad)(?=.*Variable)
#include <situ/autograd.hpp>
#include <situ/distributed.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Variable<float>& v) { return scatter<Cuda<0>, Cuda<1>>(no_grad(v)); }
#else
auto mistake(const Variable<float>& v) { return scatter<Cuda<0>, Cuda<1>>(v); }
#endif

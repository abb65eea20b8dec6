// SPDX-License-Identifier: Apache-2.0
// The gradient would be lost.
// first: (?=.*sending_would_lose_the_gradient)(?=.*fix_call_no_grad)
#include <situ/device/runtime.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/distributed/place.hpp>
#include <situ/expression/no_grad.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Variable<float>& v) { return replicate(no_grad(v), gpu<0>, gpu<1>); }
#else
auto mistake(const Variable<float>& v) { return replicate(v, gpu<0>, gpu<1>); }
#endif

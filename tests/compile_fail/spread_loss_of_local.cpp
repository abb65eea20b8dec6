// SPDX-License-Identifier: Apache-2.0
// The devices' own losses are a loss when it is said how they make one: as terms of a sum.
// first: (?=.*local_values_are_not_a_loss)(?=.*fix_call_as_Partial)
#include <situ/parallel/collectives.hpp>
#include <situ/parallel/gradients.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Variable<float, Cuda<0>>& a, const Variable<float, Cuda<1>>& b) { return backward(as<Partial<>>(a, b)); }
#else
auto mistake(const Variable<float, Cuda<0>>& a, const Variable<float, Cuda<1>>& b) { return backward(as<Local>(a, b)); }
#endif

// SPDX-License-Identifier: Apache-2.0
// An activation of a sum that is not summed yet.
// first: (?=.*a_partial_sum_has_no_activation)(?=.*fix_call_it_behind_all_reduce)
#include <situ/device/runtime.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/linear.hpp>

using namespace situ;

template <class T, class L>
using Over = Spread<T, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const Over<float, Sharded<1>>& x, const Over<float, Sharded<1>>& w) { return relu(all_reduce(linear(x, w))); }
#else
auto mistake(const Over<float, Sharded<1>>& x, const Over<float, Sharded<1>>& w) { return linear(x, w, Activation::relu); }
#endif

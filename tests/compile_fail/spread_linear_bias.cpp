// SPDX-License-Identifier: Apache-2.0
// The classic silent error: a bias beside a weight whose inputs are cut is added once per device.
// first: (?=.*the_operands_do_not_fit)(?=.*see_Reason)(?=.*BiasOfLinear)(?=.*Partial)
// first[clang]: (?=.*the_operands_do_not_fit)(?=.*see_Reason)(?=.*BiasOfLinear)
// within: a_replicated_value_would_be_added_once_per_device
// within: fix_call_all_reduce_first
#include <situ/device/runtime.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/linear.hpp>

using namespace situ;

template <class T, class L>
using Over = Spread<T, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const Over<float, Sharded<1>>& x, const Over<float, Sharded<1>>& w, const Over<float, Replicated>& b) {
  return all_reduce(linear(x, w)) + b;
}
#else
auto mistake(const Over<float, Sharded<1>>& x, const Over<float, Sharded<1>>& w, const Over<float, Replicated>& b) {
  return linear(x, w, b);
}
#endif

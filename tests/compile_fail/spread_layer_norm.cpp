// SPDX-License-Identifier: Apache-2.0
// A weight that is cut, which every device needs in whole.
// first: (?=.*the_operands_do_not_fit)(?=.*see_Reason)(?=.*LayerNormScale)(?=.*Sharded<0>)
// within: every_device_needs_all_of_the_operand
// within: fix_call_all_gather
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/linear.hpp>

using namespace situ;

template <class T, class L>
using Over = Spread<T, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const Over<float, Sharded<0>>& x, const Over<float, Sharded<0>>& w, const Over<float, Replicated>& b) {
  return layer_norm(x, all_gather(w), b);
}
#else
auto mistake(const Over<float, Sharded<0>>& x, const Over<float, Sharded<0>>& w, const Over<float, Replicated>& b) {
  return layer_norm(x, w, b);
}
#endif

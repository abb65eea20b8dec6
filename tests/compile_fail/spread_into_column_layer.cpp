// SPDX-License-Identifier: Apache-2.0
// A layer cut along its outputs takes all of the input on every device.
// first: (?=.*this_layer_takes_an_input_in_layout)(?=.*fix_call_all_gather)
// within: (?s)error.*error[^\n]*a_partial_sum_is_not_a_value::fix_call_all_reduce.*error[^\n]*fix_call_replicate
// lines: 40
#include <situ/device/runtime.hpp>
#include <situ/parallel/linear.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(nn::ColumnParallelLinear<float, Cuda<0>, Cuda<1>>& layer, const On<Sharded<0>>& s, const On<Partial<>>& p,
             const Tensor<float>& x) {
  static_cast<void>(layer(all_gather(s)));
  static_cast<void>(layer(all_reduce(p)));
  static_cast<void>(layer(replicate(x, gpu<0>, gpu<1>)));
}
#else
void mistake(nn::ColumnParallelLinear<float, Cuda<0>, Cuda<1>>& layer, const On<Sharded<0>>& s, const On<Partial<>>& p,
             const Tensor<float>& x) {
  layer(s);
  layer(p);
  layer(x);
}
#endif

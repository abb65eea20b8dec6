// SPDX-License-Identifier: Apache-2.0
// What replicas, a layer cut along its inputs, and a layer on one device say to an input in another layout.
// first: (?=.*this_layer_takes_an_input_in_layout)(?=.*fix_call_reshard)
// within: (?s)(error[^\n]*this_layer_takes_an_input_in_layout.*){3}error[^\n]*this_network_is_on_one_device::fix_call_replicas
// lines: 55
#include <situ/device/runtime.hpp>
#include <situ/nn/linear.hpp>
#include <situ/parallel/linear.hpp>
#include <situ/parallel/replicas.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(Replicas<nn::Linear<float>, Cuda<0>, Cuda<1>>& net, nn::RowParallelLinear<float, Cuda<0>, Cuda<1>>& layer,
             const On<Sharded<1>>& columns, const On<Replicated>& r, const Tensor<float>& x) {
  static_cast<void>(net(reshard<0>(columns)));
  static_cast<void>(net(shard<0>(x, gpu<0>, gpu<1>)));
  static_cast<void>(layer(shard<1>(r)));
  static_cast<void>(net(r));
}
#else
void mistake(Replicas<nn::Linear<float>, Cuda<0>, Cuda<1>>& net, nn::RowParallelLinear<float, Cuda<0>, Cuda<1>>& layer,
             const On<Sharded<1>>& columns, const On<Replicated>& r, const Tensor<float>& x) {
  net(columns);
  net(x);
  layer(r);
  net.module()(r);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// A network on one device called with a spread value.
// first: (?=.*this_network_is_on_one_device)(?=.*fix_call_replicas)
#include <situ/device/diagnostics.hpp>
#include <situ/device/runtime.hpp>
#include <situ/nn/linear.hpp>
#include <situ/parallel/replicas.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(nn::Linear<float>& net, const On<Sharded<0>>& s) { return replicas(net, gpu<0>, gpu<1>)(s); }
#else
auto mistake(nn::Linear<float>& net, const On<Sharded<0>>& s) { return net(s); }
#endif

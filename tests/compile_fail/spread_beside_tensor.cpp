// SPDX-License-Identifier: Apache-2.0
// A tensor is on one device.
// first: (?=.*the_operands_do_not_fit)(?=.*Sharded<0>)(?=.*a_tensor_stands_beside_a_spread_value)(?=.*fix_call_replicate_or_shard)
// first[clang]: (?=.*the_operands_do_not_fit)(?=.*Sharded<0>)
// within[clang]: (?=.*a_tensor_stands_beside_a_spread_value)(?=.*fix_call_replicate_or_shard)
#include <situ/device/runtime.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/place.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Sharded<0>>& s, const Tensor<float, Cuda<0>>& x) { return s + replicate(x, gpu<0>, gpu<1>); }
#else
auto mistake(const On<Sharded<0>>& s, const Tensor<float, Cuda<0>>& x) { return s + x; }
#endif

// SPDX-License-Identifier: Apache-2.0
// The tensor of a rank is on the device of its group.
// first: (?=.*tensors_live_on_different_devices<.*Cuda<0>)(?=.*fix_call_dot_to)
#include <situ/device/runtime.hpp>
#include <situ/world/group.hpp>

using namespace situ;
template <class L>
using OnRanks = Spread<float, L, Ranks<Cpu>>;

#ifdef SITU_CONTROL
auto mistake(const Group<Cuda<0>>& group, const Tensor<float>& x) { return group.as<Sharded<0>>(x.to(gpu<0>)); }
#else
auto mistake(const Group<Cuda<0>>& group, const Tensor<float>& x) { return group.as<Sharded<0>>(x); }
#endif

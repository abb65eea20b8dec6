// SPDX-License-Identifier: Apache-2.0
// The parts live on different devices.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*Cuda<0>)(?=.*Cuda<1>)
#include <situ/device/runtime.hpp>
#include <situ/distributed/place.hpp>
#include <situ/expression/arithmetic.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Sharded<0>>& s) { const auto [a, b] = local(s); return a + b.to(gpu<0>); }
#else
auto mistake(const On<Sharded<0>>& s) { const auto [a, b] = local(s); return a + b; }
#endif

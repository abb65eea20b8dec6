// SPDX-License-Identifier: Apache-2.0
// A spread value for Eigen.
// first: (?=.*a_spread_value_is_on_no_one_device)(?=.*fix_call_gather)
#include <situ/device/diagnostics.hpp>
#include <situ/situ.hpp>
#include <situ/distributed/place.hpp>
#include <situ/interop/eigen.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const On<Sharded<0>>& s) {
  const Tensor x = gather(s, cpu);
  static_cast<void>(eigen(x));
}
#else
void mistake(const On<Sharded<0>>& s) { static_cast<void>(eigen(s)); }
#endif

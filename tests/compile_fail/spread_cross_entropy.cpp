// SPDX-License-Identifier: Apache-2.0
// Labels that do not go with their rows.
// first: (?=.*labels_lie_otherwise_than_their_rows)(?=.*fix_spread_them_alike)(?=.*Sharded<0>)(?=.*Replicated)
#include <situ/device/runtime.hpp>
#include <situ/distributed/loss.hpp>
#include <situ/distributed/place.hpp>

using namespace situ;

template <class T, class L>
using Over = Spread<T, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const Over<float, Sharded<0>>& x, const Over<int64_t, Replicated>& labels) {
  return cross_entropy(x, shard<0>(labels));
}
#else
auto mistake(const Over<float, Sharded<0>>& x, const Over<int64_t, Replicated>& labels) { return cross_entropy(x, labels); }
#endif

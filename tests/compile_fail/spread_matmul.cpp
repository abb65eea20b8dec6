// SPDX-License-Identifier: Apache-2.0
// A product of columns by a whole matrix: each device has only some of the inner positions.
// kind: spread operands whose layouts have no product
// first: (?=.*the_operands_do_not_fit)(?=.*see_Reason)(?=.*Matmul)(?=.*Sharded<1>)
// within: a_product_needs_what_other_devices_have<(situ::)?Sharded<1>, (situ::)?Replicated>
// within: fix_call_shard_for_the_right_one<0>
#include <situ/device/runtime.hpp>
#include <situ/distributed/matmul.hpp>
#include <situ/distributed/place.hpp>

using namespace situ;

template <class T, class L>
using Over = Spread<T, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const Over<float, Sharded<1>>& x, const Over<float, Replicated>& w) { return matmul(x, shard<0>(w)); }
#else
auto mistake(const Over<float, Sharded<1>>& x, const Over<float, Replicated>& w) { return matmul(x, w); }
#endif

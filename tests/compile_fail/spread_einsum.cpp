// SPDX-License-Identifier: Apache-2.0
// einsum of spread values.
// first: (?=.*einsum_takes_no_spread_values)(?=.*fix_call_matmul)
#include <situ/device/runtime.hpp>
#include <situ/distributed/matmul.hpp>
#include <situ/einsum.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Sharded<0>>& s, const On<Replicated>& r) { return matmul(s, r); }
#else
auto mistake(const On<Sharded<0>>& s, const On<Replicated>& r) { return einsum<"ij,jk->ik">(s, r); }
#endif

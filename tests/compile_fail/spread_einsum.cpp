// SPDX-License-Identifier: Apache-2.0
// einsum of spread values.
// first: (?=.*einsum_takes_no_spread_values)(?=.*fix_call_matmul)
// within: (?s)(error[^\n]*einsum_takes_no_spread_values.*){2}
// lines: 25
#include <situ/device/runtime.hpp>
#include <situ/distributed/matmul.hpp>
#include <situ/einsum.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const Tensor<float>& x, const On<Sharded<0>>& s, const On<Replicated>& r) {
  static_cast<void>(matmul(s, r));
  static_cast<void>(matmul(shard<0>(x, gpu<0>, gpu<1>), r));
}
#else
void mistake(const Tensor<float>& x, const On<Sharded<0>>& s, const On<Replicated>& r) {
  einsum<"ij,jk->ik">(s, r);
  einsum<"ij,jk->ik">(x, r);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Operations for which spread values have another call.
// first: (?=.*there_is_no_form_for_spread_values)(?=.*fix_call_matmul)
// within: (?s)error.*error[^\n]*there_is_no_form_for_spread_values::fix_call_where.*error[^\n]*::fix_call_isclose_and_all
// within: (?s)error[^\n]*::fix_call_permute_or_transpose.*error[^\n]*::fix_call_shard_or_replicate.*error[^\n]*::fix_write_an_index
// lines: 75
#include <situ/device/runtime.hpp>
#include <situ/distributed/index_parts.hpp>
#include <situ/distributed/matmul.hpp>
#include <situ/distributed/reduce.hpp>
#include <situ/distributed/select.hpp>
#include <situ/distributed/structure.hpp>
#include <situ/einsum/tensordot.hpp>
#include <situ/ops/mask.hpp>

using namespace situ;
template <class T, class L>
using On = Spread<T, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const On<float, Sharded<0>>& s, const On<float, Replicated>& r, const On<bool, Sharded<0>>& mask) {
  static_cast<void>(matmul(s, r));
  static_cast<void>(where(mask, 0.f, s));
  static_cast<void>(all(isclose(s, s)));
  static_cast<void>(transpose<0, 1>(s));
  static_cast<void>(shard<0>(zeros(s.shape()), gpu<0>, gpu<1>));
  static_cast<void>(s(all, 2));
}
#else
void mistake(const On<float, Sharded<0>>& s, const On<float, Replicated>& r, const On<bool, Sharded<0>>& mask) {
  tensordot(s, r, 1);
  masked_fill(s, mask, 0.f);
  allclose(s, s);
  swapaxes(s, 0, 1);
  zeros_like(s);
  select(s, 1, 2);
}
#endif

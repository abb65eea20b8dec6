// SPDX-License-Identifier: Apache-2.0
// A tensor before a spread value: concat and stack.
// first: (?=.*a_tensor_stands_beside_a_spread_value)(?=.*fix_call_replicate_or_shard)
// within: (?s)(error[^\n]*a_tensor_stands_beside_a_spread_value.*){2}
// lines: 30
#include <situ/device/runtime.hpp>
#include <situ/distributed/join.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const Tensor<float>& x, const On<Replicated>& r) {
  static_cast<void>(concat<0>(replicate(x, gpu<0>, gpu<1>), r));
  static_cast<void>(stack<0>(replicate(x, gpu<0>, gpu<1>), r));
}
#else
void mistake(const Tensor<float>& x, const On<Replicated>& r) {
  concat<0>(x, r);
  stack<0>(x, r);
}
#endif

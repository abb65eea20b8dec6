// SPDX-License-Identifier: Apache-2.0
// Collectives that cut, without the axis or with it in parentheses.
// first: (?=.*the_call_names_no_axis)(?=.*fix_write_it_in_angle_brackets)
// within: (?s)(error[^\n]*the_call_names_no_axis.*){4}
// lines: 50
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const Tensor<float>& x, const On<Partial<>>& p, const On<Sharded<0>>& s) {
  static_cast<void>(shard<0>(x, gpu<0>, gpu<1>));
  static_cast<void>(shard<0>(x, gpu<0>, gpu<1>));
  static_cast<void>(reduce_scatter<0>(p));
  static_cast<void>(reshard<1>(s));
}
#else
void mistake(const Tensor<float>& x, const On<Partial<>>& p, const On<Sharded<0>>& s) {
  shard(x, gpu<0>, gpu<1>);
  shard(x, 0, gpu<0>, gpu<1>);
  reduce_scatter(p);
  reshard(s, 1);
}
#endif

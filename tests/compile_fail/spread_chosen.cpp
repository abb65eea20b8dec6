// SPDX-License-Identifier: Apache-2.0
// A mask and what it chooses, and values that are compared, in layouts that do not agree, or beside a tensor.
// first[gcc]: (?=.*operands_are_sharded_on_different_axes<0, 1>)(?=.*fix_call_reshard<0>)
// first[nvcc]: (?=.*operands_are_sharded_on_different_axes)(?=.*fix_call_reshard)
// first[clang]: (?=.*the_operands_do_not_fit)(?=.*see_Reason)(?=.*Sharded<1>)
// within: (?s)(error.*fix_call_reshard<0>.*){3}
// within: (?s)error.*a_tensor_stands_beside_a_spread_value::fix_call_replicate_or_shard
// lines: 60
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/select.hpp>

using namespace situ;
template <class T, class L>
using On = Spread<T, L, Cuda<0>, Cuda<1>>;
using Mask = On<bool, Sharded<0>>;
using Rows = On<float, Sharded<0>>;
using Columns = On<float, Sharded<1>>;

#ifdef SITU_CONTROL
void mistake(const Mask& mask, const Rows& rows, const Columns& columns, const On<float, Replicated>& r,
             const Tensor<float>& x) {
  static_cast<void>(where(mask, reshard<0>(columns), r));
  static_cast<void>(where(mask, r, reshard<0>(columns)));
  static_cast<void>(isclose(rows, reshard<0>(columns)));
  static_cast<void>(where(mask, shard<0>(x, gpu<0>, gpu<1>), rows));
}
#else
void mistake(const Mask& mask, const Rows& rows, const Columns& columns, const On<float, Replicated>& r,
             const Tensor<float>& x) {
  where(mask, columns, r);
  where(mask, r, columns);
  isclose(rows, columns);
  where(mask, x, rows);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Operations that spread values do not have: on one device, or each device's own.
// first: (?=.*there_is_no_form_for_spread_values)(?=.*fix_call_gather_or_local)
// within: (?s)(error[^\n]*there_is_no_form_for_spread_values::fix_call_gather_or_local.*){7}
// lines: 80
#include <situ/device/runtime.hpp>
#include <situ/distributed/place.hpp>
#include <situ/io/npy.hpp>
#include <situ/linalg/solve.hpp>
#include <situ/ops/convolution.hpp>
#include <situ/ops/mask.hpp>
#include <situ/order/quantile.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const On<Sharded<0>>& s, const On<Replicated>& r) {
  static_cast<void>(median(gather(s, cpu)));
  static_cast<void>(quantile(gather(s, cpu), 0.5));
  static_cast<void>(nonzero(gather(s, cpu)));
  static_cast<void>(conv2d(gather(s, cpu), gather(r, cpu)));
  const auto [first, second] = local(r);
  static_cast<void>(solve(first, first));
  static_cast<void>(solve(second, second));
  save_npy("x.npy", gather(s, cpu));
}
#else
void mistake(const On<Sharded<0>>& s, const On<Replicated>& r) {
  median(s);
  quantile(s, 0.5);
  nonzero(s);
  conv2d(s, r);
  solve(r, r);
  solve(gather(r, cpu), r);
  save_npy("x.npy", s);
}
#endif

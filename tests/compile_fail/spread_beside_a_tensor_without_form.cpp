// SPDX-License-Identifier: Apache-2.0
// A tensor, and a spread value in an operation without a form for it.
// first: (?=.*there_is_no_form_for_spread_values)(?=.*fix_call_gather_or_local)
// within: (?s)(error[^\n]*there_is_no_form_for_spread_values::fix_call_gather_or_local.*){3}
// lines: 40
#include <situ/device/runtime.hpp>
#include <situ/distributed/place.hpp>
#include <situ/distributed/without_form.hpp>
#include <situ/ops/composed_activation.hpp>
#include <situ/ops/convolution.hpp>
#include <situ/ops/mask.hpp>
#include <situ/ops/windows1d.hpp>
#include <situ/ops/windows3d.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const Tensor<float>& x, const On<Sharded<0>>& s, const Spread<bool, Sharded<0>, Cuda<0>, Cuda<1>>& m) {
  static_cast<void>(masked_select(x, gather(m, cpu)));
  static_cast<void>(conv1d(x, gather(s, cpu)));
  static_cast<void>(conv3d(x, gather(s, cpu)));
}
#else
void mistake(const Tensor<float>& x, const On<Sharded<0>>& s, const Spread<bool, Sharded<0>, Cuda<0>, Cuda<1>>& m) {
  masked_select(x, m);
  conv1d(x, s);
  conv3d(x, s);
}
#endif

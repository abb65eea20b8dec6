// SPDX-License-Identifier: Apache-2.0
// layer_norm with the shape that it normalizes, as in PyTorch.
// first: (?=.*layer_norm_takes_a_weight_and_a_bias)(?=.*fix_write_ones_and_zeros)
// within: (?s)(error[^\n]*layer_norm_takes_a_weight_and_a_bias.*){2}
// lines: 25
#include <situ/distributed/linear.hpp>
#include <situ/situ.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const Tensor<float>& x, const On<Sharded<0>>& s, const On<Replicated>& w) {
  static_cast<void>(layer_norm(x, ones({3}), zeros({3})));
  static_cast<void>(layer_norm(s, w, w));
}
#else
void mistake(const Tensor<float>& x, const On<Sharded<0>>& s, const On<Replicated>&) {
  layer_norm(x, {3});
  layer_norm(s, {3});
}
#endif

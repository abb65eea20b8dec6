// SPDX-License-Identifier: Apache-2.0
// Losses of spread values take no weight.
// first: (?=.*the_loss_of_spread_values_takes_no_options)(?=.*fix_call_as_Partial_on_the_sum_of_each_part)
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/loss.hpp>

using namespace situ;

template <class T, class L>
using Over = Spread<T, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const Over<float, Sharded<0>>& x, const Over<std::int64_t, Sharded<0>>& labels,
             const Over<float, Replicated>& w) {
  const auto [a, b] = local(x);
  const auto [of_a, of_b] = local(labels);
  const auto [w_a, w_b] = local(w);
  const NllLossOptions sum{.reduction = Reduction::sum};
  return as<Partial<>>(nll_loss(a, of_a, w_a, sum), nll_loss(b, of_b, w_b, sum));
}
#else
auto mistake(const Over<float, Sharded<0>>& x, const Over<std::int64_t, Sharded<0>>& labels,
             const Over<float, Replicated>& w) {
  return nll_loss(x, labels, w);
}
#endif

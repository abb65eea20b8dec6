// SPDX-License-Identifier: Apache-2.0
// Losses of whole values on several devices take no options: each device has the loss.
// first: (?=.*the_loss_of_spread_values_takes_no_options)(?=.*fix_call_as_Replicated_on_the_loss_of_each_device)
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/loss.hpp>

using namespace situ;

template <class T, class L>
using Over = Spread<T, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const Over<float, Replicated>& x, const Over<std::int64_t, Replicated>& labels) {
  const auto [a, b] = local(x);
  const auto [of_a, of_b] = local(labels);
  return as<Replicated>(cross_entropy(a, of_a, {.ignore_index = -1}), cross_entropy(b, of_b, {.ignore_index = -1}));
}
#else
auto mistake(const Over<float, Replicated>& x, const Over<std::int64_t, Replicated>& labels) {
  return cross_entropy(x, labels, {.ignore_index = -1});
}
#endif

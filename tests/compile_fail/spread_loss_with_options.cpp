// SPDX-License-Identifier: Apache-2.0
// Losses of spread values take no options.
// first: (?=.*the_loss_of_spread_values_takes_no_options)(?=.*fix_call_as_Partial_on_the_sum_of_each_part)
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/loss.hpp>

using namespace situ;

template <class T>
using Pieces = Spread<T, Sharded<0>, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const Pieces<float>& x, const Pieces<std::int64_t>& labels) {
  const auto [a, b] = local(x);
  const auto [of_a, of_b] = local(labels);
  return as<Partial<>>(cross_entropy(a, of_a, {.ignore_index = 3, .reduction = Reduction::sum}),
                       cross_entropy(b, of_b, {.ignore_index = 3, .reduction = Reduction::sum}));
}
#else
auto mistake(const Pieces<float>& x, const Pieces<std::int64_t>& labels) {
  return cross_entropy(x, labels, {.ignore_index = 3, .reduction = Reduction::sum});
}
#endif

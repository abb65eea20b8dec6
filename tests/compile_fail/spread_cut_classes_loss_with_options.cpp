// SPDX-License-Identifier: Apache-2.0
// Of classes that lie on several devices the options are not what is wrong first.
// first: (?=.*the_loss_of_spread_values_takes_no_options)(?=.*fix_leave_them_out_to_read_what_the_rows_need_first)
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/loss.hpp>

using namespace situ;

template <class T, class L>
using Over = Spread<T, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const Over<float, Sharded<1>>& x, const Over<std::int64_t, Replicated>& labels) {
  return cross_entropy(all_gather(x), labels);
}
#else
auto mistake(const Over<float, Sharded<1>>& x, const Over<std::int64_t, Replicated>& labels) {
  return cross_entropy(x, labels, {.ignore_index = -1});
}
#endif

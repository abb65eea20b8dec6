// SPDX-License-Identifier: Apache-2.0
// A row of what is cut into rows.
// kind: an index of the axis that is cut
// first: (?=.*of_the_axis_that_is_cut_an_index_takes_all)(?=.*<0>|.*Axis ?= ?0)(?=.*fix_call_all_gather_or_reshard)
// lines: 25
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/index_parts.hpp>

using namespace situ;

template <class T, class L>
using Over = Spread<T, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const Over<float, Sharded<0>>& x) {
  static_cast<void>(all_gather(x)(0, range(0, 3)));
  static_cast<void>(all_gather(x)(range(0, 3), all));
}
#else
void mistake(const Over<float, Sharded<0>>& x) {
  static_cast<void>(x(0, range(0, 3)));
  static_cast<void>(x(range(0, 3), all));
}
#endif

// SPDX-License-Identifier: Apache-2.0
// A row of what is cut into rows.
// kind: an index of the axis that is cut
// first: (?=.*of_the_axis_that_is_cut_an_index_takes_all<0>)(?=.*fix_call_all_gather_or_reshard)
// first[clang]: call to deleted function call operator in type 'const Over<float, Sharded<0>>'
// within: of_the_axis_that_is_cut_an_index_takes_all<0>::fix_call_all_gather_or_reshard
// lines[clang]: 19
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/index_parts.hpp>

using namespace situ;

template <class T, class L>
using Over = Spread<T, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const Over<float, Sharded<0>>& x) { return all_gather(x)(0, range(0, 3)); }
#else
auto mistake(const Over<float, Sharded<0>>& x) { return x(0, range(0, 3)); }
#endif

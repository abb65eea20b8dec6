// SPDX-License-Identifier: Apache-2.0
// all_reduce: a tuple of two element types.
// first: (?=.*element_types_of_a_tuple_differ)(?=.*fix_call_cast)(?=.*float)(?=.*double)(?=.*Cuda<1>)
#include <tuple>

#include <situ/device/runtime.hpp>
#include <situ/distributed/all_reduce.hpp>
#include <situ/ops/select.hpp>

using namespace situ;
using Parts = std::tuple<Tensor<float, Cuda<0>>, Tensor<double, Cuda<1>>>;

#ifdef SITU_CONTROL
auto mistake(const Parts& parts) { return all_reduce(std::get<0>(parts), cast<float>(std::get<1>(parts))); }
#else
auto mistake(const Parts& parts) { return all_reduce(parts); }
#endif

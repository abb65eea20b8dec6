// SPDX-License-Identifier: Apache-2.0
// all_reduce: integers have a sum, and no mean. A tuple, as scatter gives it.
// first: (?=.*elements_have_no_mean)(?=.*fix_call_cast)(?=.*\bint(32_t)?\b)(?=.*Cuda<0>)
#include <tuple>

#include <situ/device/runtime.hpp>
#include <situ/distributed/all_reduce.hpp>

using namespace situ;
using Parts = std::tuple<Tensor<std::int32_t, Cuda<0>>, Tensor<std::int32_t, Cuda<1>>>;

#ifdef SITU_CONTROL
auto mistake(const Parts& parts) { return all_reduce(parts); }
#else
auto mistake(const Parts& parts) { return all_reduce<ReduceOp::mean>(parts); }
#endif

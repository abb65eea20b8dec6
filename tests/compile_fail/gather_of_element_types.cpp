// SPDX-License-Identifier: Apache-2.0
// gather: parts of two element types.
// first: (?=.*element_types_of_the_parts_differ)(?=.*fix_call_cast<float>|.*fix_call_cast.*float)(?=.*double)(?=.*Cuda<1>)
#include <situ/device/runtime.hpp>
#include <situ/distributed/scatter.hpp>
#include <situ/ops/select.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<0>>& a, const Tensor<double, Cuda<1>>& b) { return gather<Cpu>(a, cast<float>(b)); }
#else
auto mistake(const Tensor<float, Cuda<0>>& a, const Tensor<double, Cuda<1>>& b) { return gather<Cpu>(a, b); }
#endif

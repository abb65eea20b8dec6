// SPDX-License-Identifier: Apache-2.0
// The parts are of one element type.
// first: (?=.*element_types_of_the_parts_differ)(?=.*fix_call_cast)(?=.*double)
#include <situ/device/runtime.hpp>
#include <situ/distributed/place.hpp>
#include <situ/distributed/select.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<0>>& a, const Tensor<double, Cuda<1>>& b) { return as<Local>(a, cast<float>(b)); }
#else
auto mistake(const Tensor<float, Cuda<0>>& a, const Tensor<double, Cuda<1>>& b) { return as<Local>(a, b); }
#endif

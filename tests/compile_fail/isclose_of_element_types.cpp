// SPDX-License-Identifier: Apache-2.0
// isclose: the element types differ.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*float)(?=.*double)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/closeness.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& a, const Tensor<double>& b) { return isclose(a, cast<float>(b)); }
#else
auto mistake(const Tensor<float>& a, const Tensor<double>& b) { return isclose(a, b); }
#endif

// SPDX-License-Identifier: Apache-2.0
// diff: conditions have no differences.
// first: (?=.*operation_undefined_for_elements)(?=.*Diff)(?=.*fix_call_cast)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/axes.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<bool>& x) { return diff(cast<int>(x), 0); }
#else
auto mistake(const Tensor<bool>& x) { return diff(x, 0); }
#endif

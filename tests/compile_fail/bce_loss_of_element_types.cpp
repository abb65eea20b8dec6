// SPDX-License-Identifier: Apache-2.0
// bce_loss: the element types differ.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*float)(?=.*double)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/loss.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& p, const Tensor<double>& y) { return bce_loss(p, cast<float>(y)); }
#else
auto mistake(const Tensor<float>& p, const Tensor<double>& y) { return bce_loss(p, y); }
#endif

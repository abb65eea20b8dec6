// SPDX-License-Identifier: Apache-2.0
// nll_loss: the labels are no int64.
// first: (?=.*labels_are_not_int64)(?=.*fix_call_cast)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/class_loss.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& p, const Tensor<int>& labels) { return nll_loss(p, cast<std::int64_t>(labels)); }
#else
auto mistake(const Tensor<float>& p, const Tensor<int>& labels) { return nll_loss(p, labels); }
#endif

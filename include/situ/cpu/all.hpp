// SPDX-License-Identifier: Apache-2.0
// All kernels of host devices: every kernel of plan/kernels.hpp except one, since a separate pass finishes a product.
// Included only by ops/every_kernel.hpp.
#pragma once

#include <situ/cpu/convolution/convolution.hpp>
#include <situ/cpu/convolution/pooling.hpp>
#include <situ/cpu/expressions.hpp>
#include <situ/cpu/gather.hpp>
#include <situ/cpu/mask.hpp>
#include <situ/cpu/merge_positions.hpp>
#include <situ/cpu/order_statistics.hpp>
#include <situ/cpu/sample.hpp>
#include <situ/cpu/scatter.hpp>
#include <situ/cpu/softmax.hpp>
#include <situ/cpu/sort.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/every_kernel.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

static_assert(HasEveryKernel<Backend>);

}  // namespace situ::internal::inline SITU_SETTINGS::cpu

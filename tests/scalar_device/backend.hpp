// SPDX-License-Identifier: Apache-2.0
// The reference device with its kernels: all of plan/kernels.hpp but one.
#pragma once

#include <situ/plan/every_kernel.hpp>

#include "elementwise.hpp"
#include "indexing.hpp"
#include "products.hpp"
#include "rows.hpp"
#include "scalar.hpp"

namespace scalar_device {

using namespace situ::internal;

static_assert(HasEveryKernel<Backend> && !FinishesProducts<Backend, float>);

}  // namespace scalar_device

// SPDX-License-Identifier: Apache-2.0
// All kernels of plan/kernels.hpp, of all backends, for operations that call others than evaluation does. The only
// header of this folder that includes backends.
#pragma once

// IWYU pragma: begin_exports
#include <situ/cpu/all.hpp>
#include <situ/cuda/all.hpp>
// IWYU pragma: end_exports

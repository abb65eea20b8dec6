// SPDX-License-Identifier: Apache-2.0
// The kernels of plan/linalg.hpp of all backends: the only header here that includes them.
#pragma once

// IWYU pragma: begin_exports
#include <situ/cpu/linalg/all.hpp>
#include <situ/cuda/linalg/all.hpp>
// IWYU pragma: end_exports

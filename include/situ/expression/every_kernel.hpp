// SPDX-License-Identifier: Apache-2.0
// The kernels of all backends that evaluation calls: expressions, copies, reductions, scans and products. The only
// header of this folder that includes backends.
#pragma once

// IWYU pragma: begin_exports
#include <situ/cpu/expressions.hpp>
#include <situ/cuda/expressions.hpp>
// IWYU pragma: end_exports

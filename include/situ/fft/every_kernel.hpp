// SPDX-License-Identifier: Apache-2.0
// The kernels of plan/fft.hpp, of all backends. The only header of this folder that includes backends.
#pragma once

// IWYU pragma: begin_exports
#include <situ/cpu/fft/transform.hpp>
#include <situ/cuda/fft/transform.hpp>
// IWYU pragma: end_exports

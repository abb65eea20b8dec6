// SPDX-License-Identifier: Apache-2.0
// The kernels of all backends for counts and running extrema, where they have one of their own. The only header of this
// folder that includes backends.
#pragma once

// IWYU pragma: begin_exports
#include <situ/cpu/count.hpp>
#include <situ/cuda/kernels/count.hpp>
#include <situ/cuda/kernels/running_extremum.hpp>
// IWYU pragma: end_exports

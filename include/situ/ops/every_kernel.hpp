// SPDX-License-Identifier: Apache-2.0
// All kernels of all backends, for operations that need more than expression/evaluate.hpp includes: the only header of
// this folder that includes them.
#pragma once

// IWYU pragma: begin_exports
#include <situ/cpu/all.hpp>
#include <situ/cuda/all.hpp>
// IWYU pragma: end_exports

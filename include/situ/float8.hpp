// SPDX-License-Identifier: Apache-2.0
// Tensors of 8-bit floats, `float8_e4m3fn` and `float8_e5m2`: storage, moves, indexing, .safetensors files and casts.
// Beside `situ/situ.hpp`.
#pragma once

// IWYU pragma: begin_exports
#include <situ/core/float8.hpp>
#include <situ/ops/saturate_cast.hpp>
// IWYU pragma: end_exports

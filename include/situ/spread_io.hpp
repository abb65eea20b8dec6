// SPDX-License-Identifier: Apache-2.0
// Checkpoints of spread values, of modules with spread parameters and of their optimizers. Beside `situ/situ.hpp`;
// needs nlohmann-json.
#pragma once

// IWYU pragma: begin_exports
#include <situ/io.hpp>

#include <situ/spread_io/checkpoint.hpp>
#include <situ/spread_io/modules.hpp>
// IWYU pragma: end_exports

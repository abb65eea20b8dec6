// SPDX-License-Identifier: Apache-2.0
// Einstein summation and `tensordot`, on every device.
#pragma once

// IWYU pragma: begin_exports
// First, because g++ prints the path by which a header was reached, one line for each, and errors point here.
#include <situ/tensor.hpp>

#include <situ/einsum/einsum.hpp>
#include <situ/einsum/tensordot.hpp>
// IWYU pragma: end_exports

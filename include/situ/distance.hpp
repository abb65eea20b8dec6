// SPDX-License-Identifier: Apache-2.0
// Pairwise distances of points, on every device.
#pragma once

// IWYU pragma: begin_exports
// First, because g++ prints the path by which a header was reached, one line for each, and errors point here.
#include <situ/tensor.hpp>

#include <situ/ops/cdist.hpp>
// IWYU pragma: end_exports

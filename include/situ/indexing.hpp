// SPDX-License-Identifier: Apache-2.0
// Indexing beyond what situ.hpp has: reductions at indices, coordinate lists, grids.
#pragma once

// IWYU pragma: begin_exports
// First, because g++ prints the path by which a header was reached, one line for each, and errors point here.
#include <situ/situ.hpp>

#include <situ/ops/coordinates.hpp>
#include <situ/ops/masked_scatter.hpp>
#include <situ/ops/meshgrid.hpp>
#include <situ/ops/number_at_indices.hpp>
#include <situ/ops/positions_beside.hpp>
#include <situ/ops/scatter_chosen.hpp>
#include <situ/ops/scatter_reduce.hpp>
// IWYU pragma: end_exports

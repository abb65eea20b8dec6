// SPDX-License-Identifier: Apache-2.0
// CUDA graphs: a function of tensors on a GPU, captured once and launched as a whole.
#pragma once

// IWYU pragma: begin_exports
// First, because g++ prints the path by which a header was reached, one line for each, and errors point here.
#include <situ/tensor/tensor.hpp>

#include <situ/graph/graph.hpp>
// IWYU pragma: end_exports

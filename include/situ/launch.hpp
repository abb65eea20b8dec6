// SPDX-License-Identifier: Apache-2.0
// Kernels of the program's own on tensors of a GPU: `launch_on`.
#pragma once

// IWYU pragma: begin_exports
// First, because g++ prints the path by which a header was reached, one line for each, and errors point here.
#include <situ/tensor/tensor.hpp>

#include <situ/launch/host_words.hpp>
#include <situ/launch/launch_on.hpp>
// IWYU pragma: end_exports

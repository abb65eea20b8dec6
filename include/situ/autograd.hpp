// SPDX-License-Identifier: Apache-2.0
// Gradients: variables, the operations on them, `backward`. Beside `situ/situ.hpp`, which does not include it.
#pragma once

// IWYU pragma: begin_exports
// First, because g++ prints the path by which a header was reached, one line for each, and errors point here.
#include <situ/situ.hpp>

#include <situ/autograd/variable.hpp>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/custom_gradient.hpp>
#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/gradients.hpp>
// IWYU pragma: end_exports

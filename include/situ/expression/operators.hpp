// SPDX-License-Identifier: Apache-2.0
// All operators of tensors and expressions.
#pragma once

// First, because g++ prints the path by which a header was reached, one line for each, and errors point here.
#include <situ/expression/diagnostics.hpp>
#include <situ/tensor/diagnostics.hpp>

#include <situ/expression/arithmetic.hpp>
#include <situ/expression/comparison.hpp>
#include <situ/expression/compound_assignment.hpp>
#include <situ/expression/logic.hpp>

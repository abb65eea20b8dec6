// SPDX-License-Identifier: Apache-2.0
// All operators of tensors and expressions.
#pragma once

#include <situ/expression/arithmetic.hpp>
#include <situ/expression/comparison.hpp>
#include <situ/expression/compound_assignment.hpp>
#include <situ/expression/logic.hpp>

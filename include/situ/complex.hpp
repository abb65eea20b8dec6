// SPDX-License-Identifier: Apache-2.0
// `std::complex<float>` and `std::complex<double>` as element types, on every device.
#pragma once

// IWYU pragma: begin_exports
// First, because g++ prints the path by which a header was reached, one line for each, and errors point here.
#include <situ/tensor.hpp>

#include <situ/complex/beside_real.hpp>
#include <situ/complex/functions.hpp>
#include <situ/complex/matmul.hpp>
#include <situ/complex/parts.hpp>
#include <situ/complex/reduce.hpp>
#include <situ/complex/scatter.hpp>
// IWYU pragma: end_exports

// SPDX-License-Identifier: Apache-2.0
// Linear algebra: solvers and factorizations of batches of matrices.
#pragma once

// IWYU pragma: begin_exports
// First, because g++ prints the path by which a header was reached, one line for each, and errors point here.
#include <situ/tensor.hpp>

#include <situ/linalg/cholesky.hpp>
#include <situ/linalg/determinant.hpp>
#include <situ/linalg/eigh.hpp>
#include <situ/linalg/least_squares.hpp>
#include <situ/linalg/lu.hpp>
#include <situ/linalg/norms.hpp>
#include <situ/linalg/operands.hpp>
#include <situ/linalg/polynomial.hpp>
#include <situ/linalg/power.hpp>
#include <situ/linalg/products.hpp>
#include <situ/linalg/qr.hpp>
#include <situ/linalg/rank.hpp>
#include <situ/linalg/solve.hpp>
#include <situ/linalg/svd.hpp>
#include <situ/linalg/triangular.hpp>
// IWYU pragma: end_exports

// SPDX-License-Identifier: Apache-2.0
// The linear algebra of CUDA devices.
#pragma once

#include <situ/cuda/linalg/cholesky.hpp>
#include <situ/cuda/linalg/determinant.hpp>
#include <situ/cuda/linalg/eigh.hpp>
#include <situ/cuda/linalg/least_squares.hpp>
#include <situ/cuda/linalg/lu.hpp>
#include <situ/cuda/linalg/qr.hpp>
#include <situ/cuda/linalg/solve.hpp>
#include <situ/cuda/linalg/svd.hpp>
#include <situ/cuda/linalg/triangular.hpp>

// SPDX-License-Identifier: Apache-2.0
// The kernels of plan/linalg.hpp, of all backends. The only header of this folder that includes backends.
#pragma once

// IWYU pragma: begin_exports
#include <situ/cpu/linalg/cholesky.hpp>
#include <situ/cpu/linalg/determinant.hpp>
#include <situ/cpu/linalg/eigh.hpp>
#include <situ/cpu/linalg/least_squares.hpp>
#include <situ/cpu/linalg/lu.hpp>
#include <situ/cpu/linalg/qr.hpp>
#include <situ/cpu/linalg/solve.hpp>
#include <situ/cpu/linalg/svd.hpp>
#include <situ/cpu/linalg/triangular.hpp>
#include <situ/cuda/linalg/cholesky.hpp>
#include <situ/cuda/linalg/determinant.hpp>
#include <situ/cuda/linalg/eigh.hpp>
#include <situ/cuda/linalg/least_squares.hpp>
#include <situ/cuda/linalg/lu.hpp>
#include <situ/cuda/linalg/qr.hpp>
#include <situ/cuda/linalg/solve.hpp>
#include <situ/cuda/linalg/svd.hpp>
#include <situ/cuda/linalg/triangular.hpp>

#if defined(SITU_COMPILED)
#include <situ/cpu/linalg/compiled.hpp>
#endif
// IWYU pragma: end_exports

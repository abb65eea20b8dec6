// SPDX-License-Identifier: Apache-2.0
// The linear algebra of host devices.
#pragma once

#include <situ/cpu/linalg/cholesky.hpp>
#include <situ/cpu/linalg/compiled.hpp>
#include <situ/cpu/linalg/determinant.hpp>
#include <situ/cpu/linalg/eigh.hpp>
#include <situ/cpu/linalg/least_squares.hpp>
#include <situ/cpu/linalg/lu.hpp>
#include <situ/cpu/linalg/matrices.hpp>
#include <situ/cpu/linalg/provider.hpp>
#include <situ/cpu/linalg/qr.hpp>
#include <situ/cpu/linalg/side_by_side.hpp>
#include <situ/cpu/linalg/solve.hpp>
#include <situ/cpu/linalg/svd.hpp>
#include <situ/cpu/linalg/symmetric.hpp>
#include <situ/cpu/linalg/triangular.hpp>

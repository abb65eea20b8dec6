// SPDX-License-Identifier: Apache-2.0
// The kernels of host devices for expressions, copies, reductions, scans and products. Included by
// expression/every_kernel.hpp, so that the light door does not read those of convolutions, sorting or random numbers.
#pragma once

#include <situ/cpu/copy.hpp>
#include <situ/cpu/elementwise.hpp>
#include <situ/cpu/gemm/gemm.hpp>
#include <situ/cpu/generate.hpp>
#include <situ/cpu/reduce/reduce.hpp>
#include <situ/cpu/scan.hpp>
#include <situ/cpu/update.hpp>

#if defined(SITU_COMPILED)
#include <situ/cpu/compiled.hpp>
#endif

// SPDX-License-Identifier: Apache-2.0
// The kernels of host devices for expressions, copies, reductions, scans and products. Included by
// expression/evaluate.hpp, so that the light entry header does not include those for convolutions, sorting or random
// numbers.
#pragma once

#include <situ/cpu/copy.hpp>
#include <situ/cpu/elementwise.hpp>
#include <situ/cpu/gemm/gemm.hpp>
#include <situ/cpu/generate.hpp>
#include <situ/cpu/reduce/reduce.hpp>
#include <situ/cpu/scan.hpp>

#if defined(SITU_COMPILED)
#include <situ/cpu/compiled.hpp>
#endif

// SPDX-License-Identifier: Apache-2.0
// The intrinsics of x86, first of all that includes them.
#pragma once

// GCC 12 makes undefined registers in these headers on purpose, and then warns of them wherever a caller was inlined:
// 125 times in one `solve` with -O2 -march=native on AVX-512. What counts is the setting where they are defined.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#if defined(__SSE3__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>  // the rest of immintrin.h would be a quarter of all that a compiler reads
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

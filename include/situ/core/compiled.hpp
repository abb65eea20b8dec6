// SPDX-License-Identifier: Apache-2.0
// Element types, for the lists of what the target situ::compiled contains: each macro expands `list(how, T)` for some
// of them. Types that few programs use (`int8 int16 uint16 uint32 uint64`) are in no list: a program that uses them
// compiles what it needs, and the target does not grow.
#pragma once

#include <situ/core/dtype.hpp>

#if defined(SITU_COMPILED)

#define SITU_COMPILED_FOR_FLOATS(list, how) list(how, float16) list(how, bfloat16) list(how, float) list(how, double)
#define SITU_COMPILED_FOR_INTEGERS(list, how) list(how, uint8_t) list(how, int32_t) list(how, int64_t)
#define SITU_COMPILED_FOR_NUMBERS(list, how) SITU_COMPILED_FOR_FLOATS(list, how) SITU_COMPILED_FOR_INTEGERS(list, how)
#define SITU_COMPILED_FOR_ALL(list, how) SITU_COMPILED_FOR_NUMBERS(list, how) list(how, bool)

#endif

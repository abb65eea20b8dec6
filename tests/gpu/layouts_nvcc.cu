// SPDX-License-Identifier: Apache-2.0
// What nvcc and its host compiler find; see layouts.hpp.
#define SITU_TEST_COMPILER nvcc
#include "layouts.hpp"

// SPDX-License-Identifier: Apache-2.0
// How the kernels of host devices read and write complex elements; GPUs need nothing more. The only header of this
// folder that includes backends.
#pragma once

// IWYU pragma: begin_exports
#include <situ/cpu/lanes/complex.hpp>
// IWYU pragma: end_exports

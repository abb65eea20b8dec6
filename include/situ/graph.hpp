// SPDX-License-Identifier: Apache-2.0
// CUDA graphs: a function of tensors on a GPU, captured once and launched as a whole.
#pragma once

#include <situ/graph/graph.hpp>

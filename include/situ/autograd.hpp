// SPDX-License-Identifier: Apache-2.0
// Gradients: variables, the operations over them, `backward`. Beside `situ/situ.hpp`, which does not include it.
#pragma once

// IWYU pragma: begin_exports
#include <situ/situ.hpp>
#include <situ/autograd/variable.hpp>

#include <situ/autograd/composed.hpp>
#include <situ/autograd/convolution.hpp>
#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/gradients.hpp>
#include <situ/autograd/indexing.hpp>
#include <situ/autograd/join.hpp>
#include <situ/autograd/linalg.hpp>
#include <situ/autograd/pooling.hpp>
#include <situ/autograd/reduce.hpp>
#include <situ/autograd/scan.hpp>
#include <situ/autograd/structure.hpp>
// IWYU pragma: end_exports

// SPDX-License-Identifier: Apache-2.0
// Optimizers, learning rates, gradient clipping. Beside `situ/situ.hpp`, which does not include it.
#pragma once

// IWYU pragma: begin_exports
#include <situ/autograd.hpp>
#include <situ/optim/adam.hpp>
#include <situ/optim/clip.hpp>
#include <situ/optim/schedule.hpp>
#include <situ/optim/sgd.hpp>
// IWYU pragma: end_exports

// SPDX-License-Identifier: Apache-2.0
// Helpers around a training loop: a log of losses that stays on the device, a progress bar, a plot of the losses.
// Beside `situ/situ.hpp`.
#pragma once

// IWYU pragma: begin_exports
#include <situ/train/device_log.hpp>
#include <situ/train/progress_bar.hpp>
#include <situ/train/training_curve.hpp>
// IWYU pragma: end_exports

// SPDX-License-Identifier: Apache-2.0
// What stands around a training loop: a log of losses that stays on the device, a progress bar, and a picture of the losses.
// Beside `situ/situ.hpp`.
#pragma once

#include <situ/train/device_log.hpp>
#include <situ/train/progress_bar.hpp>
#include <situ/train/training_curve.hpp>

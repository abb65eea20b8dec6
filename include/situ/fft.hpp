// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, and the complex numbers that they return, on every device.
#pragma once

// IWYU pragma: begin_exports
// First, because g++ prints the path by which a header was reached, one line for each, and errors point here.
#include <situ/tensor.hpp>

#include <situ/complex.hpp>
#include <situ/fft/axes.hpp>
#include <situ/fft/fft.hpp>
#include <situ/fft/helpers.hpp>
#include <situ/fft/transform.hpp>
#include <situ/fft/windows.hpp>
// IWYU pragma: end_exports

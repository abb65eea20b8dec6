// SPDX-License-Identifier: Apache-2.0
// Indices of kernels over images: an element's place in its image, and the launch of a thread for each element.
#pragma once

#include <cstdint>

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/divider.hpp>
#include <situ/cuda/runtime/launch.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::detail {

/// Takes the number of an element of (planes, height, width) apart.
struct PlaneIndex {
  Divider<std::int64_t> height, width;

  PlaneIndex(std::int64_t rows, std::int64_t columns) : height(rows), width(columns) {}
  SITU_DEVICE void operator()(std::int64_t i, std::int64_t& plane, std::int64_t& row, std::int64_t& column) const {
    const std::int64_t line = width.quotient(i);
    column = i - line * static_cast<std::int64_t>(width.divisor);
    plane = height.quotient(line);
    row = line - plane * static_cast<std::int64_t>(height.divisor);
  }
};

/// A thread for each of `kernel.count` elements.
template <class Kernel>
void launch_all(const Backend& backend, const Kernel& kernel) {
  launch(backend, Grid{(kernel.count + kernel.threads - 1) / kernel.threads, 1}, kernel);
}

}  // namespace situ::internal::cuda::detail

#endif

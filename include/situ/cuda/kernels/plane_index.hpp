// SPDX-License-Identifier: Apache-2.0
// Shared by kernels over images: the position of an element in its image, the row elements that windows read, and the
// launch of a thread for each element, with 32-bit indices if they suffice.
#pragma once

#include <cstddef>
#include <cstdint>

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/divider.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/plan/window.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::detail {

/// Unravels the number of an element of (planes, height, width).
template <class Index>
struct PlaneIndex {
  struct Place {
    Index plane, row, column;
  };
  Divider<Index> height, width;

  PlaneIndex(std::int64_t rows, std::int64_t columns)
      : height(static_cast<Index>(rows)), width(static_cast<Index>(columns)) {}
  [[nodiscard]] SITU_DEVICE Place operator()(Index i) const {
    const Index line = width.quotient(i);
    const Index plane = height.quotient(line);
    return {plane, static_cast<Index>(line - plane * static_cast<Index>(height.divisor)),
            static_cast<Index>(i - line * static_cast<Index>(width.divisor))};
  }
};

template <class Index>
[[nodiscard]] PlaneIndex<Index> windows_of(const program::Window2d& window) {
  return {window.height.out, window.width.out};
}
template <class Index>
[[nodiscard]] PlaneIndex<Index> elements_of(const program::Window2d& window) {
  return {window.height.in, window.width.in};
}

/// The remainder of a division whose quotient is known.
template <class Index>
[[nodiscard]] SITU_DEVICE Index rest_of(Index n, Index quotient, const Divider<Index>& by) {
  return n - quotient * static_cast<Index>(by.divisor);
}

/// Finds windows by their elements along one axis, like the axis's `window_of` but without its division.
template <class Index>
struct WindowFinder {
  program::WindowAxisOf<Index> axis;
  Divider<Index> stride;

  explicit WindowFinder(const program::WindowAxis& x)
      : axis(static_cast<program::WindowAxisOf<Index>>(x)), stride(static_cast<Index>(x.stride)) {}
  [[nodiscard]] SITU_DEVICE Index operator()(Index position, Index i) const {
    const Index distance = position + axis.padding - i * axis.dilation;
    if (distance < 0) return -1;
    const Index window = stride.quotient(distance);
    return window < axis.out && window * axis.stride == distance ? window : -1;
  }
};

/// Elements `first` to `first + Taps - 1` of one row of the kernel, for `Windows` adjacent windows, the first of which
/// begins at `left` of `line`; 0 in the padding, beyond the end of the row, and everywhere unless `inside`. All loads
/// are issued before any value is used.
template <class T, class Index, std::size_t Taps, std::size_t Windows>
SITU_DEVICE void load_taps(const program::WindowAxisOf<Index>& across, const T* line, bool inside, Index left,
                           Index first, T (&to)[Taps][Windows]) {
  kernel::unrolled<int{Taps}>([&](int b) {
    kernel::unrolled<int{Windows}>([&](int o) {
      const Index at = left + (first + b) * across.dilation + o * across.stride;
      to[b][o] = inside && first + b < across.kernel && at >= 0 && at < across.in ? line[at] : T{};
    });
  });
}

/// A thread for each of `kernel.count` elements.
template <class Kernel>
void launch_all(const Backend& backend, const Kernel& kernel) {
  launch(backend, Grid{(kernel.count + kernel.threads - 1) / kernel.threads, 1}, kernel);
}

/// Calls `f(Index())` with the integer type for a kernel that counts up to `count`; 64 bits are needed only for data
/// beyond the memory of GPUs of a few years ago.
template <class F>
void with_index(const program::Window2d& window, std::int64_t count, const F& f) {
  if (count < std::int64_t{1} << 31 && window.fits_32_bits()) f(std::int32_t());
  else f(std::int64_t());
}

}  // namespace situ::internal::cuda::detail

#endif

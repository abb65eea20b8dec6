// SPDX-License-Identifier: Apache-2.0
// Fourier transforms on GPUs: the library's, and a kernel that scales.
#pragma once

#include <cstddef>
#include <cstdint>

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/fft/library.hpp>
#include <situ/cuda/kernels/copy.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/cuda/runtime/recording.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/plan/fft.hpp>
#include <situ/plan/program.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

/// Scales elements in place.
template <class T>
struct ScaleInPlace {
  static constexpr int threads = 256;
  static constexpr const char* name = "fft, scale";
  static constexpr int steps = 4;

  T* x;
  std::int64_t count;
  T scale;

  SITU_DEVICE void operator()() const {
    const std::int64_t first = std::int64_t{kernel::block()} * (threads * steps) + kernel::thread();
    kernel::unrolled<steps>([&](int s) {
      const std::int64_t at = first + s * threads;
      if (at < count) x[at] = x[at] * scale;
    });
  }
};

/// Clears the redundant parts of a spectrum of real elements, in place: the imaginary part of the first element and,
/// for an even length, of the last one, which cuFFT's inverse may read and other libraries do not.
template <class T>
struct ClearUnused {
  static constexpr int threads = 256;
  static constexpr const char* name = "fft, clear";

  T* x;
  std::int64_t rows;
  std::int64_t row;
  bool even;

  SITU_DEVICE void operator()() const {
    const std::int64_t at = std::int64_t{kernel::block()} * threads + kernel::thread();
    if (at >= rows) return;
    x[at * row + 1] = T(0);
    if (even) x[at * row + row - 1] = T(0);
  }
};

}  // namespace detail

/// See `TransformsFourier`.
template <class T>
void fourier_transform(const Backend& backend, const program::Fourier& transform, const T* in, T* out) {
  refuse_in_capture("fft", "its plans work in memory of their own calls; transform before the graph");
  const bool changes = fft::changes_operand(transform);
  if (changes || !fft::is_aligned(in)) {
    const std::int64_t count = transform.count * transform.row_in();
    const Scratch copy(backend, static_cast<std::size_t>(count) * sizeof(T));
    constexpr int size = static_cast<int>(sizeof(T));
    copy_elements(backend, program::Operand{in, size, {1}}, program::Destination{copy.data(), size, {count}, {1}});
    if (changes) {
      using Clear = detail::ClearUnused<T>;
      launch(backend, {(transform.count + Clear::threads - 1) / Clear::threads, 1},
             Clear{copy.as<T>(), transform.count, transform.row_in(), transform.length % 2 == 0});
    }
    fft::transform_rows<T>(backend, transform, copy.as<T>(), out);
  } else {
    fft::transform_rows<T>(backend, transform, const_cast<T*>(in), out);
  }
  if (transform.scale != 1) {
    using Kernel = detail::ScaleInPlace<T>;
    const std::int64_t count = transform.count * transform.row_out();
    constexpr std::int64_t tile = Kernel::threads * Kernel::steps;
    launch(backend, {(count + tile - 1) / tile, 1}, Kernel{out, count, static_cast<T>(transform.scale)});
  }
}

}  // namespace situ::internal::cuda

#endif

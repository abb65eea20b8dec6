// SPDX-License-Identifier: Apache-2.0
// The kernel of the CUDA backend that writes a function of the position, for `arange`, `linspace` and `poisson`.
#pragma once

#include <situ/core/dtype.hpp>
#include <situ/core/philox.hpp>
#include <situ/cuda/kernels/program_source.hpp>
#include <situ/cuda/runtime/call_counts.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/plan/program.hpp>

#if defined(SITU_CUDA)

#include <cstddef>
#include <cstdint>

namespace situ::internal::cuda {

namespace detail {

/// A thread computes 16 bytes of elements. New storage is aligned, and the last elements are stored one by one.
template <class T, class F>
struct Generate {
  static constexpr int threads = 256;
  static constexpr const char* name = "generate";
  static constexpr int width = 16 / static_cast<int>(sizeof(T));
  static constexpr int tile = threads * width;

  F f;
  T* out;
  std::int64_t count;
  bool aligned;

  SITU_DEVICE void operator()() const {
    if constexpr (DrawsFromStream<F>) {
      F drawing = f;
      drawing.stream = f.stream.now();
      write(drawing);
    } else {
      write(f);
    }
  }

 private:
  SITU_DEVICE void write(const F& value) const {
    const std::int64_t first = (kernel::block() * threads + kernel::thread()) * width;
    if (aligned && count - first >= width) {
      kernel::Vector<T, width> result;
      unrolled<width>([&](int e) { result.element[e] = value(first + e); });
      *reinterpret_cast<kernel::Vector<T, width>*>(out + first) = result;
    } else {
      for (std::int64_t i = first; i < count && i < first + width; ++i) out[i] = value(i);
    }
  }
};

}  // namespace detail

/// Writes `f(i)` to element `i` of a destination in row-major order without gaps. `f` is trivially copyable, constexpr,
/// and depends only on `i`.
template <Element T, class F>
void generate(const Backend& backend, const F& f, const program::Destination& to) {
  using Kernel = detail::Generate<T, F>;
  if constexpr (DrawsFromStream<F>) require_drawn_here(backend, f.stream);
  const std::int64_t count = to.shape.count();
  const bool aligned = is_aligned_for(to.data, static_cast<int>(sizeof(T)), Kernel::width);
  launch(backend, {(count + Kernel::tile - 1) / Kernel::tile, 1}, Kernel{f, static_cast<T*>(to.data), count, aligned});
}

}  // namespace situ::internal::cuda

#endif

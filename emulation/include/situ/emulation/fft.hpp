// SPDX-License-Identifier: Apache-2.0
// The Fourier transforms of the emulation: the CPU's, on one thread, as stream operations.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include <situ/cpu/fft/transform.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/fft/library.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/emulation/refusal.hpp>
#include <situ/plan/fft.hpp>

#if defined(SITU_CUDA) && defined(SITU_CUDA_EMULATED)

namespace situ::internal::cuda::fft {

namespace detail {

/// cuFFT requires operand and result to be aligned like complex numbers, even if they are real.
template <class T>
void require_alignment(const T* in, const T* out, int ordinal) {
  constexpr std::size_t bytes = 2 * sizeof(T);
  for (const T* const data : {in, out}) {
    const std::uintptr_t beyond = std::bit_cast<std::uintptr_t>(data) % bytes;
    if (beyond == 0) continue;
    emulated::refuse_call("cuFFT", "error 4 of cuFFT", ordinal,
                          std::string(data == in ? "the operand" : "the result") + " begins " + std::to_string(beyond) +
                              " bytes after a multiple of " + std::to_string(bytes));
  }
}

}  // namespace detail

inline namespace in_library_situ_cuda_fft {

template <class T>
void transform_rows(const Backend& backend, const program::Fourier& transform, T* in, T* out) {
  detail::require_alignment<T>(in, out, backend.ordinal);
  const ObservedWork work(*backend.stream, "fft");
  program::Fourier unscaled = transform;
  unscaled.scale = 1;
  const auto compute = [=] {
    // cuFFT may read them: they must be 0 when it is called.
    for (std::int64_t i = 0; changes_operand(unscaled) && i < unscaled.count; ++i) {
      T* const row = in + i * unscaled.row_in();
      if (row[1] != T(0)) row[0] = std::numeric_limits<T>::quiet_NaN();
      if (unscaled.length % 2 == 0 && row[unscaled.row_in() - 1] != T(0)) row[0] = std::numeric_limits<T>::quiet_NaN();
    }
    cpu::transform_rows(unscaled, static_cast<const T*>(in), out, 0, unscaled.count);
    if (!changes_operand(unscaled)) return;
    for (std::int64_t i = 0; i < unscaled.count * unscaled.row_in(); ++i) in[i] = T(-1);  // as cuFFT may leave it
  };
  check(emulated::enqueue(stream_of(backend), "fft", compute), "fft", backend.ordinal);
}

}  // namespace in_library_situ_cuda_fft

}  // namespace situ::internal::cuda::fft

#endif

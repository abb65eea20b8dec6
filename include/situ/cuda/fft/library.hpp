// SPDX-License-Identifier: Apache-2.0
// The seam of Fourier transforms: rows, not scaled. On a GPU they are cuFFT's, compiled once (src/cuda/fft/library.cpp)
// into a library of its own, so that no header includes it and only who calls it links it; the emulation computes them
// as the CPU does.
#pragma once

#include <bit>
#include <cstdint>

#include <situ/cuda/api/backend.hpp>
#include <situ/plan/fft.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::fft {

// A name that says, where the linker misses it, what to link.
inline namespace in_library_situ_cuda_fft {

/// Puts `transform`, but for its scale, into the backend's stream. The operand may be changed: the caller gives a copy
/// where that matters (`changes_operand`). Operand and result are aligned as complex numbers are. Throws `CudaError`,
/// `OutOfMemory`. T is `float` or `double`.
template <class T>
void transform_rows(const Backend& backend, const program::Fourier& transform, T* in, T* out);

}  // namespace in_library_situ_cuda_fft

/// cuFFT writes over what it makes real numbers of.
[[nodiscard]] constexpr bool changes_operand(const program::Fourier& transform) noexcept {
  return transform.kind == program::FourierKind::inverse_real;
}

/// cuFFT refuses real numbers that are not aligned as complex ones are, which a row of an odd length need not be.
template <class T>
[[nodiscard]] bool is_aligned(const T* in) noexcept {
  return std::bit_cast<std::uintptr_t>(in) % (2 * sizeof(T)) == 0;
}

}  // namespace situ::internal::cuda::fft

#if defined(SITU_CUDA_EMULATED)
#include <situ/emulation/fft.hpp>
#endif

#endif

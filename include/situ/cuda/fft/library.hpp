// SPDX-License-Identifier: Apache-2.0
// The interface to Fourier transforms of rows, without scaling. On a GPU they are cuFFT's, compiled once
// (src/cuda/fft/library.cpp) into a separate library, so that no header includes cuFFT and only programs that use it
// link it; the emulation computes them as the CPU does.
#pragma once

#include <bit>
#include <cstdint>

#include <situ/cuda/api/backend.hpp>
#include <situ/plan/fft.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::fft {

// The name tells what to link if the linker does not find it.
inline namespace in_library_situ_cuda_fft {

/// Puts `transform`, without its scale, into the backend's stream. The operand may be overwritten: the caller passes a
/// copy if that matters (`changes_operand`). Operand and result must be aligned like complex numbers. Throws
/// `CudaError`, `OutOfMemory`. T is `float` or `double`.
template <class T>
void transform_rows(const Backend& backend, const program::Fourier& transform, T* in, T* out);

}  // namespace in_library_situ_cuda_fft

/// cuFFT overwrites the operand of a complex-to-real transform.
[[nodiscard]] constexpr bool changes_operand(const program::Fourier& transform) noexcept {
  return transform.kind == program::FourierKind::inverse_real;
}

/// cuFFT refuses real numbers that are not aligned like complex ones; a row of odd length may not be.
template <class T>
[[nodiscard]] bool is_aligned(const T* in) noexcept {
  return std::bit_cast<std::uintptr_t>(in) % (2 * sizeof(T)) == 0;
}

}  // namespace situ::internal::cuda::fft

#if defined(SITU_CUDA_EMULATED)
#include <situ/emulation/fft.hpp>
#endif

#endif

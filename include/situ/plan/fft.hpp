// SPDX-License-Identifier: Apache-2.0
// The contract of Fourier transforms for all backends.
#pragma once

#include <cstdint>

namespace situ::internal {

namespace program {

/// The kind of a transform; a complex number is two of `T`, the real part first.
enum class FourierKind {
  complex,       // n complex numbers to as many
  real,          // n real numbers to the n / 2 + 1 complex ones that are not redundant
  inverse_real,  // and back; the imaginary part of the first, and of the last if n is even, is ignored
};

/// `count` transforms of adjacent rows without gaps: sum over j of x[j] e^(-2 pi i j k / length), or (`inverse`) e^(+2
/// pi i j k / length), times `scale`. `real` is never inverse, `inverse_real` always.
struct Fourier {
  FourierKind kind = FourierKind::complex;
  std::int64_t length = 1;
  bool inverse = false;
  std::int64_t count = 1;
  double scale = 1;

  /// The number of `T` in a row of the operand, and of the result.
  [[nodiscard]] constexpr std::int64_t row_in() const noexcept {
    return kind == FourierKind::complex ? 2 * length : kind == FourierKind::real ? length : 2 * (length / 2 + 1);
  }
  [[nodiscard]] constexpr std::int64_t row_out() const noexcept {
    return kind == FourierKind::complex ? 2 * length : kind == FourierKind::real ? 2 * (length / 2 + 1) : length;
  }
};

}  // namespace program

/// `transform` of `float` or `double`; operand and result do not overlap, and the operand is not changed.
template <class B, class T>
concept TransformsFourier = requires(const B& backend, const program::Fourier& transform, const T* in, T* out) {
  fourier_transform(backend, transform, in, out);
};

/// Names of kernels for the error of `call_kernel`.
namespace kernels {
struct Fft;
}  // namespace kernels

}  // namespace situ::internal

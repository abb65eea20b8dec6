// SPDX-License-Identifier: Apache-2.0
// Windows for spectra of frames: `hann_window hamming_window blackman_window bartlett_window kaiser_window`.
#pragma once

#include <cstdint>
#include <string>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/number_text.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/unary.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// Whether a window is one period of a periodic function, for spectra, or symmetric, for the design of filters. The
/// periodic window of n elements is the symmetric one of n + 1 without its last element.
enum class Periodic { no, yes };

namespace internal {

/// A window as a function of the distances from its center, in units of half its length: from -1 to 1.
///
/// They are computed from integers that are symmetric about 0, so that the elements of a symmetric window are too.
template <Element T, Device D, class Curve>
[[nodiscard]] Tensor<T, D> window_of(const char* name, std::int64_t n, Periodic periodic, D device, Curve curve) {
  if (n < 0) {
    throw ValueError(std::string(name) + ": a length of " + std::to_string(n) + "; it must not be negative");
  }
  if (n == 1) return ones<T>({1}, device);  // as in SciPy and PyTorch, also if it is periodic
  const std::int64_t period = periodic == Periodic::yes ? n : n - 1;
  const auto distance = cast<double>(arange<std::int64_t>(n, device) * 2 - period) / static_cast<double>(period);
  return cast<T>(curve(distance));
}

inline constexpr double window_pi = 3.14159265358979323846;

/// The modified Bessel function of the first kind and order 0 at `beta sqrt(square)`, over that at `beta`, by its power
/// series, whose terms are all positive (Abramowitz and Stegun, "Handbook of mathematical functions", 9.6.12).
struct KaiserShape {
  double quarter_square = 0;  // (beta / 2)^2
  double scale = 1;

  [[nodiscard]] static constexpr double bessel(double quarter) noexcept {
    double term = 1, sum = 1;
    for (int k = 1; k < 2000 && term > sum * 1e-17; ++k) {
      term *= quarter / (static_cast<double>(k) * k);
      sum += term;
    }
    return sum;
  }
  constexpr double operator()(double square) const noexcept { return bessel(quarter_square * square) * scale; }
};

}  // namespace internal

/// The window 0.5 - 0.5 cos(2 pi k / n), named after J. von Hann, of `n` elements: `float` unless `T` is given, on the
/// CPU or the given device. One element is 1. Throws `ValueError` for a negative length, as all windows do.
///
///     Tensor spectra = stft(sound, 400, hann_window(400), {.hop_length = 160});   // as torch.hann_window
///     Tensor taps = sinc * hann_window(51, Periodic::no);                         // as numpy.hanning
template <FloatingElement T = float, Device D = Cpu>
[[nodiscard]] Tensor<T, D> hann_window(std::int64_t n, Periodic periodic = Periodic::yes, D device = {}) {
  return internal::window_of<T>("hann_window", n, periodic, device,
                                [](const auto& distance) { return 0.5 + 0.5 * cos(internal::window_pi * distance); });
}
template <FloatingElement T = float, Device D>
[[nodiscard]] Tensor<T, D> hann_window(std::int64_t n, D device) {
  return hann_window<T>(n, Periodic::yes, device);
}

/// The window 0.54 - 0.46 cos(2 pi k / n) (R. W. Hamming), which is 0.08 at its ends.
///
///     Tensor window = hamming_window<double>(512, gpu<0>);
template <FloatingElement T = float, Device D = Cpu>
[[nodiscard]] Tensor<T, D> hamming_window(std::int64_t n, Periodic periodic = Periodic::yes, D device = {}) {
  return internal::window_of<T>("hamming_window", n, periodic, device,
                                [](const auto& distance) { return 0.54 + 0.46 * cos(internal::window_pi * distance); });
}
template <FloatingElement T = float, Device D>
[[nodiscard]] Tensor<T, D> hamming_window(std::int64_t n, D device) {
  return hamming_window<T>(n, Periodic::yes, device);
}

/// The window 0.42 - 0.5 cos(2 pi k / n) + 0.08 cos(4 pi k / n) (R. B. Blackman).
///
///     Tensor window = blackman_window(512);
template <FloatingElement T = float, Device D = Cpu>
[[nodiscard]] Tensor<T, D> blackman_window(std::int64_t n, Periodic periodic = Periodic::yes, D device = {}) {
  return internal::window_of<T>("blackman_window", n, periodic, device, [](const auto& distance) {
    return 0.42 + 0.5 * cos(internal::window_pi * distance) + 0.08 * cos(2 * internal::window_pi * distance);
  });
}
template <FloatingElement T = float, Device D>
[[nodiscard]] Tensor<T, D> blackman_window(std::int64_t n, D device) {
  return blackman_window<T>(n, Periodic::yes, device);
}

/// The triangle that is 0 at its ends and 1 in the middle (M. S. Bartlett).
///
///     Tensor window = bartlett_window(512);
template <FloatingElement T = float, Device D = Cpu>
[[nodiscard]] Tensor<T, D> bartlett_window(std::int64_t n, Periodic periodic = Periodic::yes, D device = {}) {
  return internal::window_of<T>("bartlett_window", n, periodic, device,
                                [](const auto& distance) { return 1.0 - abs(distance); });
}
template <FloatingElement T = float, Device D>
[[nodiscard]] Tensor<T, D> bartlett_window(std::int64_t n, D device) {
  return bartlett_window<T>(n, Periodic::yes, device);
}

/// J. F. Kaiser's window I0(beta sqrt(1 - d^2)) / I0(beta), d from -1 to 1: a larger `beta` makes side lobes lower and
/// the main lobe wider; with 0 all values are 1. Throws `ValueError` for a `beta` below 0 or above 700.
///
///     Tensor window = kaiser_window(512, 14.0);          // torch.kaiser_window(512, beta=14)
template <FloatingElement T = float, Device D = Cpu>
[[nodiscard]] Tensor<T, D> kaiser_window(std::int64_t n, double beta, Periodic periodic = Periodic::yes,
                                         D device = {}) {
  if (!(beta >= 0 && beta <= 700)) {
    throw ValueError("kaiser_window: beta is " + internal::number_text(beta) + "; it must be from 0 to 700");
  }
  const double quarter_square = beta * beta / 4;
  const internal::KaiserShape shape{quarter_square, 1 / internal::KaiserShape::bessel(quarter_square)};
  return internal::window_of<T>("kaiser_window", n, periodic, device,
                                [&](const auto& distance) { return map(shape, (1.0 - distance) * (1.0 + distance)); });
}
template <FloatingElement T = float, Device D>
[[nodiscard]] Tensor<T, D> kaiser_window(std::int64_t n, double beta, D device) {
  return kaiser_window<T>(n, beta, Periodic::yes, device);
}

}  // namespace situ

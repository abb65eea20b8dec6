// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms: `fft ifft rfft irfft`, and over several axes, as in numpy.fft.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/fft/axes.hpp>
#include <situ/fft/transform.hpp>

namespace situ {

namespace internal {
struct TransformsHeader;
void is_included(const TransformsHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

/// The result of a transform of `X`: a tensor of complex elements, or a variable if `X` records.
template <class X>
using spectrum_t = typename internal::Applied<Recorded<X>, internal::spectrum_element_t<X>, device_t<X>>::type;
/// The result of a transform back to real numbers.
template <class X>
using signal_t = typename internal::Applied<Recorded<X>, real_t<value_type_t<X>>, device_t<X>>::type;

/// y[k] = sum over j of x[j] e^(-2 pi i j k / n) along an axis, for real or complex elements of `float` or `double`.
///
///     Tensor y = fft(x);                                        // the last axis
///     Tensor z = fft(x, {.n = 16, .axis = 0, .norm = FftNorm::ortho});
///
/// Throws `IndexError` for an axis out of range, `ValueError` for a length below 1. On the CPU by Eigen's FFT module
/// (kissfft), or by Bluestein's convolution if a prime above 61 divides n; on GPUs by cuFFT. Gradients as in PyTorch:
/// dL/dx + i dL/dy.
template <internal::FourierTensor X>
[[nodiscard]] spectrum_t<X> fft(const X& x, const FftOptions& options = {}) {
  return internal::fourier<internal::spectrum_element_t<X>>(
      internal::fourier_of_axis("fft", internal::program::FourierKind::complex, false, x.shape(), options),
      internal::as_complex(x));
}
Tensor<float, Cpu> fft(operation_undefined_for_elements<internal::OfFourier>::fix_call_cast, const FftOptions& = {});

/// The inverse: `ifft(fft(x))` equals x up to rounding, as complex elements.
template <internal::FourierTensor X>
[[nodiscard]] spectrum_t<X> ifft(const X& x, const FftOptions& options = {}) {
  return internal::fourier<internal::spectrum_element_t<X>>(
      internal::fourier_of_axis("ifft", internal::program::FourierKind::complex, true, x.shape(), options),
      internal::as_complex(x));
}
Tensor<float, Cpu> ifft(operation_undefined_for_elements<internal::OfFourier>::fix_call_cast, const FftOptions& = {});

/// The first n / 2 + 1 elements of `fft(x)` for real x; the others are their conjugates, in reverse. About twice as
/// fast.
template <internal::RealFourierTensor X>
[[nodiscard]] spectrum_t<X> rfft(const X& x, const FftOptions& options = {}) {
  return internal::fourier<internal::spectrum_element_t<X>>(
      internal::fourier_of_axis("rfft", internal::program::FourierKind::real, false, x.shape(), options), x);
}
Tensor<float, Cpu> rfft(operation_undefined_for_elements<internal::OfRealFourier>::fix_call_cast,
                        const FftOptions& = {});

/// The inverse of `rfft`: real elements. By default their number is the even one, 2 (extent - 1): spectra of 2 m and
/// 2 m + 1 elements have the same length.
///
///     Tensor x = irfft(rfft(y), {.n = y.extent(-1)});
///
/// Real elements count as complex ones without imaginary parts: `irfft(square(abs(rfft(x))))` correlates `x` with
/// itself. The imaginary part of the first element is ignored, and for even n that of the last.
template <internal::FourierTensor X>
[[nodiscard]] signal_t<X> irfft(const X& x, const FftOptions& options = {}) {
  return internal::fourier<real_t<value_type_t<X>>>(
      internal::fourier_of_axis("irfft", internal::program::FourierKind::inverse_real, true, x.shape(), options),
      internal::as_complex(x));
}
Tensor<float, Cpu> irfft(operation_undefined_for_elements<internal::OfFourier>::fix_call_cast, const FftOptions& = {});

/// Options of `fftn` and similar functions.
struct FftnOptions {
  /// The lengths along `axes`; the extents by default. Without axes, along the last ones.
  std::vector<std::int64_t> s = {};
  /// All axes by default.
  FftAxes axes = {};
  FftNorm norm = FftNorm::backward;
};

namespace internal {

/// The options for each axis, in order.
[[nodiscard]] inline std::vector<FftOptions> options_of_axes(const char* name, const Shape& x,
                                                             const FftnOptions& options) {
  const std::vector<std::int64_t> axes =
      options.axes.or_last(options.s.empty() ? x.rank() : static_cast<std::int64_t>(options.s.size()));
  if (!options.s.empty() && options.s.size() != axes.size()) {
    throw ValueError(std::string(name) + ": " + std::to_string(options.s.size()) + " lengths for " +
                     std::to_string(axes.size()) + " axes; give one for each");
  }
  std::vector<FftOptions> each;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    each.push_back({.axis = axes[i], .norm = options.norm});
    if (!options.s.empty()) each.back().n = options.s[i];
  }
  return each;
}

/// Transforms several axes, one after the other, the last axis first.
template <class Spectrum>
[[nodiscard]] Spectrum fourier_of_axes(const char* name, bool inverse, Spectrum x,
                                       const std::vector<FftOptions>& options) {
  for (std::size_t i = options.size(); i-- > 0;) {
    x = fourier<value_type_t<Spectrum>>(
        fourier_of_axis(name, program::FourierKind::complex, inverse, x.shape(), options[i]), x);
  }
  return x;
}
template <class X>
[[nodiscard]] spectrum_t<X> fourier_of_axes(const char* name, bool inverse, const X& x, const FftnOptions& options) {
  return fourier_of_axes(name, inverse, spectrum_t<X>(as_complex(x)), options_of_axes(name, x.shape(), options));
}

/// Splits off the last of the axes, the one that is real on one side. Throws `ValueError` if there are no axes.
[[nodiscard]] inline FftOptions taken_last(const char* name, std::vector<FftOptions>& options) {
  if (options.empty())
    throw ValueError(std::string(name) + ": no axis to transform; x has rank 0, or the list of axes is empty");
  const FftOptions last = options.back();
  options.pop_back();
  return last;
}
template <class X>
[[nodiscard]] spectrum_t<X> real_fourier_of_axes(const char* name, const X& x, const FftnOptions& options) {
  std::vector<FftOptions> others = options_of_axes(name, x.shape(), options);
  const FftOptions last = taken_last(name, others);
  spectrum_t<X> spectrum =
      fourier<spectrum_element_t<X>>(fourier_of_axis(name, program::FourierKind::real, false, x.shape(), last), x);
  return fourier_of_axes(name, false, std::move(spectrum), others);
}
template <class X>
[[nodiscard]] signal_t<X> inverse_real_fourier_of_axes(const char* name, const X& x, const FftnOptions& options) {
  std::vector<FftOptions> others = options_of_axes(name, x.shape(), options);
  const FftOptions last = taken_last(name, others);
  const spectrum_t<X> spectrum = fourier_of_axes(name, true, spectrum_t<X>(as_complex(x)), others);
  return fourier<real_t<value_type_t<X>>>(
      fourier_of_axis(name, program::FourierKind::inverse_real, true, spectrum.shape(), last), spectrum);
}

}  // namespace internal

/// `fft` along several axes, by default all.
///
///     Tensor y = fftn(x, {.s = {8, 8}, .axes = {0, 1}});
template <internal::FourierTensor X>
[[nodiscard]] spectrum_t<X> fftn(const X& x, const FftnOptions& options = {}) {
  return internal::fourier_of_axes("fftn", false, x, options);
}
Tensor<float, Cpu> fftn(operation_undefined_for_elements<internal::OfFourier>::fix_call_cast, const FftnOptions& = {});
/// `ifft` along several axes.
template <internal::FourierTensor X>
[[nodiscard]] spectrum_t<X> ifftn(const X& x, const FftnOptions& options = {}) {
  return internal::fourier_of_axes("ifftn", true, x, options);
}
Tensor<float, Cpu> ifftn(operation_undefined_for_elements<internal::OfFourier>::fix_call_cast, const FftnOptions& = {});

namespace internal {
[[nodiscard]] inline FftnOptions last_two(FftnOptions options) {
  if (!options.axes.named()) options.axes = {-2, -1};
  return options;
}
}  // namespace internal

/// `fft` along the last two axes, or those named.
template <internal::FourierTensor X>
[[nodiscard]] spectrum_t<X> fft2(const X& x, const FftnOptions& options = {}) {
  return internal::fourier_of_axes("fft2", false, x, internal::last_two(options));
}
Tensor<float, Cpu> fft2(operation_undefined_for_elements<internal::OfFourier>::fix_call_cast, const FftnOptions& = {});
/// `ifft` along the last two axes, or those named.
template <internal::FourierTensor X>
[[nodiscard]] spectrum_t<X> ifft2(const X& x, const FftnOptions& options = {}) {
  return internal::fourier_of_axes("ifft2", true, x, internal::last_two(options));
}
Tensor<float, Cpu> ifft2(operation_undefined_for_elements<internal::OfFourier>::fix_call_cast, const FftnOptions& = {});

/// `rfft` along the last of the axes, by default all, and `fft` along the others.
///
///     Tensor y = rfftn(volume);      // (d, h, w) -> (d, h, w / 2 + 1)
template <internal::RealFourierTensor X>
[[nodiscard]] spectrum_t<X> rfftn(const X& x, const FftnOptions& options = {}) {
  return internal::real_fourier_of_axes("rfftn", x, options);
}
Tensor<float, Cpu> rfftn(operation_undefined_for_elements<internal::OfRealFourier>::fix_call_cast,
                         const FftnOptions& = {});
/// The inverse of `rfftn`: real elements, whose number along the last of the axes is even unless `s` gives another.
///
///     Tensor x = irfftn(rfftn(y), {.s = {h, w}});
template <internal::FourierTensor X>
[[nodiscard]] signal_t<X> irfftn(const X& x, const FftnOptions& options = {}) {
  return internal::inverse_real_fourier_of_axes("irfftn", x, options);
}
Tensor<float, Cpu> irfftn(operation_undefined_for_elements<internal::OfFourier>::fix_call_cast,
                          const FftnOptions& = {});
/// `rfftn` along the last two axes, or those named.
template <internal::RealFourierTensor X>
[[nodiscard]] spectrum_t<X> rfft2(const X& x, const FftnOptions& options = {}) {
  return internal::real_fourier_of_axes("rfft2", x, internal::last_two(options));
}
Tensor<float, Cpu> rfft2(operation_undefined_for_elements<internal::OfRealFourier>::fix_call_cast,
                         const FftnOptions& = {});
/// `irfftn` along the last two axes, or those named.
template <internal::FourierTensor X>
[[nodiscard]] signal_t<X> irfft2(const X& x, const FftnOptions& options = {}) {
  return internal::inverse_real_fourier_of_axes("irfft2", x, internal::last_two(options));
}
Tensor<float, Cpu> irfft2(operation_undefined_for_elements<internal::OfFourier>::fix_call_cast,
                          const FftnOptions& = {});

}  // namespace situ

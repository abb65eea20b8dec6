// SPDX-License-Identifier: Apache-2.0
// Helpers for transforms: the order of frequencies, `fftshift ifftshift fftfreq rfftfreq`, and `stft istft`.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/fft/axes.hpp>
#include <situ/fft/fft.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/pad.hpp>
#include <situ/ops/rearrange.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/scatter_reduce.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>

namespace situ {

namespace internal {
struct FrameTransformsHeader;
void is_included(const FrameTransformsHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

namespace internal {

/// Rolled by half of their extents along `axes`, by default all.
template <TensorLike X>
[[nodiscard]] applied_t<X> shifted_by_half(const X& x, const FftAxes& axes, bool back, const char* name) {
  applied_t<X> result(x);
  const auto shift = [&](int axis) {
    const std::int64_t half = result.shape()[axis] / 2;
    result = roll(result, back ? -half : half, axis);
  };
  const int rank = result.shape().rank();
  for (const std::int64_t axis : axes.or_last(rank)) shift(normalize_axis(axis, rank, name));
  return result;
}

}  // namespace internal

/// Moves the element of frequency 0 from the front to the middle, along all axes or those named.
///
///     Tensor centred = fftshift(fft2(image), {-2, -1});
template <TensorLike X>
[[nodiscard]] applied_t<X> fftshift(const X& x, const FftAxes& axes = {}) {
  return internal::shifted_by_half(x, axes, false, "fftshift");
}
/// The inverse of `fftshift`; the two differ for odd extents.
template <TensorLike X>
[[nodiscard]] applied_t<X> ifftshift(const X& x, const FftAxes& axes = {}) {
  return internal::shifted_by_half(x, axes, true, "ifftshift");
}

/// The frequencies of the elements of `fft` of length n, for a sample spacing `d`: 0, 1, ..., -2, -1 over n d. Throws
/// `ValueError` for a length below 1.
///
///     Tensor f = fftfreq(8);   // 0 0.125 0.25 0.375 -0.5 -0.375 -0.25 -0.125
template <FloatingElement T = float, Device D = Cpu>
[[nodiscard]] Tensor<T, D> fftfreq(std::int64_t n, double d = 1, D = {}) {
  if (n < 1) throw ValueError("fftfreq: a length of " + std::to_string(n) + "; it must be at least 1");
  const Tensor<std::int64_t, D> k = arange<std::int64_t>(n, D{});
  const double step = 1 / (static_cast<double>(n) * d);
  return cast<T>(cast<double>(where(k * 2 < n, k, k - n)) * step);
}
/// The frequencies of `rfft`: the first n / 2 + 1, none of them negative.
template <FloatingElement T = float, Device D = Cpu>
[[nodiscard]] Tensor<T, D> rfftfreq(std::int64_t n, double d = 1, D = {}) {
  if (n < 1) throw ValueError("rfftfreq: a length of " + std::to_string(n) + "; it must be at least 1");
  return cast<T>(cast<double>(arange<std::int64_t>(n / 2 + 1, D{})) * (1 / (static_cast<double>(n) * d)));
}

/// Options of `stft`.
struct StftOptions {
  /// Samples from one frame to the next; by default a quarter of a frame.
  std::optional<std::int64_t> hop_length = std::nullopt;
  /// Whether frame t is centered at sample t * hop_length: the signal is padded by half a frame, reflected.
  bool center = true;
  FftNorm norm = FftNorm::backward;
};

/// The spectra of frames of `n_fft` samples along the last axis, each multiplied by `window` of n_fft elements:
/// (..., samples) -> (..., n_fft / 2 + 1, frames), as torch.stft with `return_complex`.
///
///     Tensor power = square(abs(stft(sound, 400, hann, {.hop_length = 160})));
///
/// Throws `ShapeError` for a window of another shape, and for a signal shorter than a frame (or, if centered, than half
/// of one); `ValueError` for a frame or a hop below 1.
template <internal::RealFourierTensor X, TensorLike W>
  requires std::same_as<value_type_t<W>, value_type_t<X>> && std::same_as<device_t<W>, device_t<X>>
[[nodiscard]] auto stft(const X& x, std::int64_t n_fft, const W& window, const StftOptions& options = {}) ->
    typename internal::Applied<(Recorded<X> || Recorded<W>), internal::spectrum_element_t<X>, device_t<X>>::type {
  using D = device_t<X>;
  const std::int64_t hop = options.hop_length.value_or(n_fft / 4);
  if (n_fft < 1 || hop < 1) {
    throw ValueError("stft: frames of " + std::to_string(n_fft) + " samples, " + std::to_string(hop) +
                     " from one to the next; both must be at least 1");
  }
  if (!(window.shape() == Shape{n_fft})) {
    throw ShapeError("stft: a window of shape " + window.shape().to_string() + " for frames of " +
                     std::to_string(n_fft) + " samples; it must have one element for each (ones({n}): no window)");
  }
  if (x.shape().rank() == 0) throw ShapeError("stft: a signal of rank 0; its last axis must be the samples");
  using Signal = applied_t<X>;
  Signal signal(x);
  const int last = signal.shape().rank() - 1;
  if (options.center && n_fft > 1) {
    if (signal.shape()[last] <= n_fft / 2) {
      throw ShapeError("stft: a signal of shape " + x.shape().to_string() + " is reflected by half a frame of " +
                       std::to_string(n_fft) + " samples; it must be longer than that half, or use {.center = false}");
    }
    std::vector<PadWidth> widths(static_cast<std::size_t>(last) + 1);
    widths.back() = {n_fft / 2, n_fft / 2};
    signal = pad(signal, std::span<const PadWidth>(widths), PadMode::reflect);
  }
  const std::int64_t samples = signal.shape()[last];
  if (samples < n_fft) {
    throw ShapeError("stft: " + std::to_string(samples) + " samples of shape " + x.shape().to_string() +
                     " are less than a frame of " + std::to_string(n_fft));
  }
  const std::int64_t frames = (samples - n_fft) / hop + 1;
  const Tensor<std::int64_t, D> at =
      reshape(arange<std::int64_t>(frames, D{}) * hop, {frames, 1}) + arange<std::int64_t>(n_fft, D{});
  const Signal cut = take(signal, at, last);
  return transpose(rfft(cut * window, {.norm = options.norm}));
}
/// Without a window.
template <internal::RealFourierTensor X>
[[nodiscard]] spectrum_t<X> stft(const X& x, std::int64_t n_fft, const StftOptions& options = {}) {
  const auto one = ones<value_type_t<X>>({1}, device_t<X>{});
  return stft(x, n_fft, broadcast_to(one, {n_fft < 1 ? 1 : n_fft}), options);
}
Tensor<float, Cpu> stft(operation_undefined_for_elements<internal::OfRealFourier>::fix_call_cast, std::int64_t,
                        const StftOptions& = {});
template <class W>
Tensor<float, Cpu> stft(operation_undefined_for_elements<internal::OfRealFourier>::fix_call_cast, std::int64_t,
                        const W&, const StftOptions& = {});
template <class D>
on_device<D> stft(const on_device<D>&, std::int64_t,
                  typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const StftOptions& = {});
template <class T, class D>
placed<T, D> stft(const placed<T, D>&, std::int64_t, typename element_types_differ<T, D>::template fix_call_cast<T>,
                  const StftOptions& = {});

/// Options of `istft`.
struct IstftOptions {
  /// Samples from one frame to the next; by default a quarter of a frame.
  std::optional<std::int64_t> hop_length = std::nullopt;
  /// Whether frame t was centered at sample t * hop_length: half a frame is cut at the beginning, and at the end unless
  /// there is a length.
  bool center = true;
  /// Samples of the result, padded with zeros after the frames; by default all that the frames have.
  std::optional<std::int64_t> length = std::nullopt;
  FftNorm norm = FftNorm::backward;
};

/// The signal whose `stft` with the same window and hop is these spectra, or the nearest one if there is none: the
/// frames, each times the window, added up and divided by the sum of the squared windows (D. W. Griffin and J. S. Lim,
/// 1984), as torch.istft. (..., n_fft / 2 + 1, frames) -> (..., samples).
///
///     Tensor sound = istft(spectra * mask, 400, hann, {.hop_length = 160});
///
/// Throws `ShapeError` for spectra or a window of another shape; `ValueError` for a length below 0, a hop below 1 or
/// above a frame, and on host devices if no window covers a sample, which is NaN elsewhere.
template <internal::SpectrumTensor X, TensorLike W>
  requires std::same_as<value_type_t<W>, real_t<value_type_t<X>>> && std::same_as<device_t<W>, device_t<X>>
[[nodiscard]] auto istft(const X& x, std::int64_t n_fft, const W& window, const IstftOptions& options = {}) ->
    typename internal::Applied<(Recorded<X> || Recorded<W>), real_t<value_type_t<X>>, device_t<X>>::type {
  using R = real_t<value_type_t<X>>;
  using D = device_t<X>;
  using Result = typename internal::Applied<(Recorded<X> || Recorded<W>), R, D>::type;
  const std::int64_t hop = options.hop_length.value_or(n_fft / 4);
  if (n_fft < 1 || hop < 1 || hop > n_fft) {
    throw ValueError("istft: frames of " + std::to_string(n_fft) + " samples, " + std::to_string(hop) +
                     " from one to the next; both must be at least 1, and frames must follow without gaps");
  }
  const Shape spectra = x.shape();
  const int rank = spectra.rank();
  if (rank < 2 || spectra[-2] != n_fft / 2 + 1 || spectra[-1] < 1 || !(window.shape() == Shape{n_fft})) {
    throw ShapeError("istft: spectra of shape " + spectra.to_string() + " and a window of shape " +
                     window.shape().to_string() + " for frames of " + std::to_string(n_fft) +
                     " samples; they must be (..., n_fft / 2 + 1, frames), with at least one frame, and (n_fft,)");
  }
  const std::int64_t frames = spectra[-1];
  const std::int64_t all_samples =
      internal::sum_of_extents(n_fft, internal::product_of_extents(hop, frames - 1, "istft"), "istft");
  const std::int64_t begin = options.center ? n_fft / 2 : 0;
  const std::int64_t wanted = options.length.value_or(all_samples - 2 * begin);
  if (wanted < 0) throw ValueError("istft: a length of " + std::to_string(wanted) + "; it must not be negative");
  const std::int64_t samples = std::min(wanted, all_samples - begin);
  const Tensor<std::int64_t, D> at =
      flatten(reshape(arange<std::int64_t>(frames, D{}) * hop, {frames, 1}) + arange<std::int64_t>(n_fft, D{}));
  Shape flat;
  for (int axis = 0; axis < rank - 2; ++axis) flat.push_back(spectra[axis]);
  Shape signal = flat;
  flat.push_back(internal::product_of_extents(frames, n_fft, "istft"));
  signal.push_back(all_samples);
  const Result cut = irfft(transpose(x), {.n = n_fft, .norm = options.norm}) * window;
  const Result sum = index_add(zeros<R>(signal, D{}), -1, at, reshape(cut, flat));
  const auto squares = eval(window * window);
  const auto covered = index_add(zeros<R>({all_samples}, D{}), 0, at, flatten(broadcast_to(squares, {frames, n_fft})));
  const auto weights = narrow(covered, 0, begin, samples);
  if constexpr (HostDevice<D>) {
    if (!all(no_grad(weights) > R(1e-11)).item()) {
      throw ValueError(
          "istft: no window covers some of the samples; use a shorter hop_length, or a length that "
          "leaves them out");
    }
  }
  const Result covered_samples = narrow(sum, -1, begin, samples) / weights;
  if (samples == wanted) return covered_samples;
  std::vector<PadWidth> widths(static_cast<std::size_t>(signal.rank()));
  widths.back().after = wanted - samples;
  return pad(covered_samples, std::span<const PadWidth>(widths));
}
/// Without a window.
template <internal::SpectrumTensor X>
[[nodiscard]] signal_t<X> istft(const X& x, std::int64_t n_fft, const IstftOptions& options = {}) {
  const auto one = ones<real_t<value_type_t<X>>>({1}, device_t<X>{});
  return istft(x, n_fft, broadcast_to(one, {n_fft < 1 ? 1 : n_fft}), options);
}
Tensor<float, Cpu> istft(operation_undefined_for_elements<internal::OfSpectrum>::fix_call_cast, std::int64_t,
                         const IstftOptions& = {});
template <class W>
Tensor<float, Cpu> istft(operation_undefined_for_elements<internal::OfSpectrum>::fix_call_cast, std::int64_t, const W&,
                         const IstftOptions& = {});
template <class D>
on_device<D> istft(const on_device<D>&, std::int64_t,
                   typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                   const IstftOptions& = {});
template <class T, class D>
placed<T, D> istft(const placed<T, D>&, std::int64_t,
                   typename element_types_differ<real_t<T>, D>::template fix_call_cast<real_t<T>>,
                   const IstftOptions& = {});

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// A complex Fourier transform of one length: by Eigen's FFT module (kissfft), which is fast for lengths with small
// prime factors, and by a convolution of such a length if a large prime divides it.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <unsupported/Eigen/FFT>
#if defined(EIGEN_FFTW_DEFAULT) || defined(EIGEN_MKL_DEFAULT)  // if the module uses another library
#include <unsupported/Eigen/src/FFT/ei_kissfft_impl.h>
#endif

#include <situ/core/config.hpp>
#include <situ/core/error.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// e^(i pi numerator / denominator), computed in `double`; 0 <= numerator < 2 denominator.
template <class T>
[[nodiscard]] std::complex<T> unit_root(std::int64_t numerator, std::int64_t denominator) {
  constexpr double pi = 3.14159265358979323846;
  const double angle = pi * (static_cast<double>(numerator) / static_cast<double>(denominator));
  return {static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))};
}
/// a b, without std::complex's special handling of infinities.
template <class T>
[[nodiscard]] inline std::complex<T> times(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// The transform of one length in one direction, not scaled. It has working memory: one thread at a time.
template <class T>
class ComplexPlan {
 public:
  using Complex = std::complex<T>;

  ComplexPlan(std::int64_t length, bool inverse) : length_(length) {
    if (length_ == 1) return;
    if (largest_prime(length_) <= most_direct) direct_ = kiss(length_, inverse);
    else prepare_convolution(inverse);
  }

  /// The approximate memory that it holds.
  [[nodiscard]] std::size_t bytes() const noexcept {
    const auto roots = static_cast<std::size_t>(direct_ != nullptr ? length_ : 2 * padded_);
    return (roots + chirp_.size() + filter_.size() + a_.size() + b_.size()) * sizeof(Complex);
  }

  /// The two do not overlap.
  void run(const Complex* in, Complex* out) {
    if (length_ == 1) *out = *in;
    else if (direct_ != nullptr) direct_->work(0, out, in, 1, 1);
    else convolve(in, out);
  }

 private:
  using Kiss = Eigen::internal::kiss_cpx_fft<T>;

  /// A prime p in the length costs p operations per element; a convolution costs about 100.
  static constexpr std::int64_t most_direct = 61;

  [[nodiscard]] static std::int64_t largest_prime(std::int64_t n) {
    std::int64_t largest = 1;
    for (std::int64_t p = 2; p * p <= n; ++p) {
      for (; n % p == 0; n /= p) largest = p;
    }
    return std::max(largest, n);
  }
  [[nodiscard]] static std::unique_ptr<Kiss> kiss(std::int64_t length, bool inverse) {
    auto plan = std::make_unique<Kiss>();
    plan->make_twiddles(static_cast<int>(length), inverse);
    plan->factorize(static_cast<int>(length));
    return plan;
  }

  /// L. I. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform" (1970):
  /// j k = (j^2 + k^2 - (k - j)^2) / 2, so the transform is a convolution with a chirp.
  void prepare_convolution(bool inverse) {
    padded_ = 1;
    while (padded_ < 2 * length_ - 1) padded_ *= 2;
    constexpr std::int64_t most = std::int64_t{1} << 28;  // the library computes 4 times the length in an int
    if (padded_ > most) {
      throw ValueError("fft: a length of " + std::to_string(length_) + ", which a prime above " +
                       std::to_string(most_direct) + " divides; on the CPU such a length must be at most " +
                       std::to_string(most / 2));
    }
    forward_ = kiss(padded_, false);
    backward_ = kiss(padded_, true);
    const auto n = static_cast<std::size_t>(length_);
    chirp_.resize(n);
    std::uint64_t square = 0;  // k^2 mod 2 length, without overflow
    for (std::size_t k = 0; k < n; ++k) {
      chirp_[k] = unit_root<T>(static_cast<std::int64_t>(square), length_);
      if (!inverse) chirp_[k] = std::conj(chirp_[k]);
      square = (square + 2 * k + 1) % (2 * static_cast<std::uint64_t>(length_));
    }
    const auto m = static_cast<std::size_t>(padded_);
    std::vector<Complex> filter(m);
    const T scale = T(1) / static_cast<T>(padded_);
    for (std::size_t k = 0; k < n; ++k) {
      filter[k] = std::conj(chirp_[k]) * scale;
      if (k > 0) filter[m - k] = filter[k];
    }
    filter_.resize(m);
    forward_->work(0, filter_.data(), filter.data(), 1, 1);
    a_.resize(m);
    b_.resize(m);
  }
  void convolve(const Complex* in, Complex* out) {
    const auto n = static_cast<std::size_t>(length_);
    for (std::size_t k = 0; k < n; ++k) a_[k] = times(in[k], chirp_[k]);
    std::fill(a_.begin() + static_cast<std::ptrdiff_t>(n), a_.end(), Complex());
    forward_->work(0, b_.data(), a_.data(), 1, 1);
    for (std::size_t k = 0; k < b_.size(); ++k) b_[k] = times(b_[k], filter_[k]);
    backward_->work(0, a_.data(), b_.data(), 1, 1);
    for (std::size_t k = 0; k < n; ++k) out[k] = times(a_[k], chirp_[k]);
  }

  std::int64_t length_;
  std::unique_ptr<Kiss> direct_;
  // for the convolution
  std::int64_t padded_ = 0;
  std::unique_ptr<Kiss> forward_, backward_;
  std::vector<Complex> chirp_, filter_, a_, b_;
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail

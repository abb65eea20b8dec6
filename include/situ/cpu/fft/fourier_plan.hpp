// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of complex and real rows of one length, and a cache of a thread's last plans.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include <situ/core/config.hpp>
#include <situ/core/stay_loaded.hpp>
#include <situ/cpu/fft/complex_plan.hpp>
#include <situ/plan/fft.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// A transform as `program::Fourier` describes it, one row at a time. Real rows of even length are transformed as
/// complex ones of half the length: elements 2 j and 2 j + 1 are the parts of a complex element, and the two spectra
/// are separated afterwards (Numerical Recipes, 12.3).
template <class T>
class FourierPlan {
 public:
  using Complex = std::complex<T>;

  FourierPlan(program::FourierKind kind, std::int64_t length, bool inverse)
      : kind_(kind), length_(length), inverse_(inverse), inner_(halves() ? length / 2 : length, inverse) {
    if (kind == program::FourierKind::complex) return;
    if (halves()) {
      roots_.resize(static_cast<std::size_t>(length / 4 + 1));
      for (std::size_t k = 0; k < roots_.size(); ++k) {
        const Complex root = unit_root<T>(static_cast<std::int64_t>(2 * k), length);
        // -i / 2 times its conjugate, or i times itself.
        roots_[k] = inverse ? Complex(-root.imag(), root.real()) : Complex(-root.imag(), -root.real()) * T(0.5);
      }
      if (inverse) whole_.resize(static_cast<std::size_t>(length / 2));
    } else {
      whole_.resize(static_cast<std::size_t>(length));
      spectrum_.resize(whole_.size());
    }
  }

  [[nodiscard]] bool is(program::FourierKind kind, std::int64_t length, bool inverse) const {
    return kind_ == kind && length_ == length && inverse_ == inverse;
  }

  /// The approximate memory that it holds.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return inner_.bytes() + (roots_.size() + whole_.size() + spectrum_.size()) * sizeof(Complex);
  }

  void run(const T* in, T* out) {
    if (kind_ == program::FourierKind::complex) {
      inner_.run(reinterpret_cast<const Complex*>(in), reinterpret_cast<Complex*>(out));
    } else if (kind_ == program::FourierKind::real) {
      if (halves()) real_of_halves(in, reinterpret_cast<Complex*>(out));
      else real_of_whole(in, reinterpret_cast<Complex*>(out));
    } else {
      if (halves()) inverse_of_halves(reinterpret_cast<const Complex*>(in), out);
      else inverse_of_whole(reinterpret_cast<const Complex*>(in), out);
    }
  }

 private:
  [[nodiscard]] bool halves() const { return kind_ != program::FourierKind::complex && length_ % 2 == 0; }

  // Element k of the spectrum is even + turned, element half - k the conjugate of even - turned.
  void real_of_halves(const T* in, Complex* out) {
    inner_.run(reinterpret_cast<const Complex*>(in), out);
    const std::size_t half = static_cast<std::size_t>(length_ / 2);
    const Complex sums = out[0];
    out[0] = sums.real() + sums.imag();
    out[half] = sums.real() - sums.imag();
    for (std::size_t k = 1; k <= half / 2; ++k) {
      const Complex z = out[k], mirrored = std::conj(out[half - k]);
      const Complex even = (z + mirrored) * T(0.5);
      const Complex turned = times(z - mirrored, roots_[k]);
      out[k] = even + turned;
      out[half - k] = std::conj(even - turned);
    }
  }
  void inverse_of_halves(const Complex* in, T* out) {
    const std::size_t half = static_cast<std::size_t>(length_ / 2);
    whole_[0] = Complex(in[0].real() + in[half].real(), in[0].real() - in[half].real());
    for (std::size_t k = 1; k <= half / 2; ++k) {
      const Complex z = in[k], mirrored = std::conj(in[half - k]);
      const Complex even = z + mirrored;
      const Complex turned = times(z - mirrored, roots_[k]);
      whole_[k] = even + turned;
      whole_[half - k] = std::conj(even - turned);
    }
    inner_.run(whole_.data(), reinterpret_cast<Complex*>(out));
  }
  void real_of_whole(const T* in, Complex* out) {
    for (std::size_t k = 0; k < whole_.size(); ++k) whole_[k] = Complex(in[k]);
    inner_.run(whole_.data(), spectrum_.data());
    for (std::size_t k = 0; k <= whole_.size() / 2; ++k) out[k] = spectrum_[k];
    out[0].imag(T(0));
  }
  void inverse_of_whole(const Complex* in, T* out) {
    whole_[0] = Complex(in[0].real());
    for (std::size_t k = 1; k <= whole_.size() / 2; ++k) {
      whole_[k] = in[k];
      whole_[whole_.size() - k] = std::conj(in[k]);
    }
    inner_.run(whole_.data(), spectrum_.data());
    for (std::size_t k = 0; k < whole_.size(); ++k) out[k] = spectrum_[k].real();
  }

  program::FourierKind kind_;
  std::int64_t length_;
  bool inverse_;
  ComplexPlan<T> inner_;
  std::vector<Complex> roots_, whole_, spectrum_;
};

/// The most recently used plans, limited by number and bytes; a plan that exceeds the limit alone is not kept.
template <class T>
class FourierPlans {
 public:
  static constexpr std::size_t most_kept = 8;
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;

  /// For one thread at a time.
  [[nodiscard]] std::shared_ptr<FourierPlan<T>> plan(const program::Fourier& transform) {
    for (auto at = plans_.begin(); at != plans_.end(); ++at) {
      if (!(*at)->is(transform.kind, transform.length, transform.inverse)) continue;
      plans_.splice(plans_.begin(), plans_, at);
      return plans_.front();
    }
    auto made = std::make_shared<FourierPlan<T>>(transform.kind, transform.length, transform.inverse);
    if (made->bytes() > most_bytes) return made;
    plans_.push_front(made);
    while (plans_.size() > most_kept || bytes() > most_bytes) plans_.pop_back();
    return made;
  }

  [[nodiscard]] std::size_t count() const noexcept { return plans_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = 0;
    for (const auto& plan : plans_) sum += plan->bytes();
    return sum;
  }

 private:
  std::list<std::shared_ptr<FourierPlan<T>>> plans_;  // the most recently used first
};

/// The plans of the calling thread.
template <class T>
[[nodiscard]] FourierPlans<T>& fourier_plans() {
  stay_loaded();
  thread_local FourierPlans<T> plans;
  return plans;
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail

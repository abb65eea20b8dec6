// SPDX-License-Identifier: Apache-2.0
// `nn::Dropout` and `nn::Flatten`: layers without parameters other than activations.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/error.hpp>
#include <situ/nn/activation.hpp>
#include <situ/nn/module.hpp>
#include <situ/ops/dropout.hpp>
#include <situ/ops/random.hpp>
#include <situ/ops/structure.hpp>

namespace situ::nn {

namespace detail {

/// A layer's own generator, or none. Reading a missing one throws; with `std::optional` that would be undefined.
class OwnGenerator : public std::optional<Generator> {
  using Base = std::optional<Generator>;

 public:
  using Base::Base;
  using Base::operator=;
  OwnGenerator(const Base& other) : Base(other) {}

  [[nodiscard]] Generator& value() { return required(), Base::operator*(); }
  [[nodiscard]] const Generator& value() const { return required(), Base::operator*(); }
  [[nodiscard]] Generator& operator*() { return value(); }
  [[nodiscard]] const Generator& operator*() const { return value(); }
  [[nodiscard]] Generator* operator->() { return &value(); }
  [[nodiscard]] const Generator* operator->() const { return &value(); }

 private:
  void required() const {
    if (!has_value()) {
      throw ValueError(
          "Dropout: the layer has no generator of its own, and draws from the process's; give it one, "
          "nn::Dropout(0.5, Generator(7)), or call set_seed");
    }
  }
};

}  // namespace detail

/// In training each element becomes 0 with the given probability, and the others are divided by the probability of
/// being kept; after `eval()` it returns its input. Srivastava et al. 2014. The same elements are dropped on every
/// device. They are drawn from the layer's own generator if it has one, otherwise from the process's (`set_seed`).
/// Throws `ValueError` for a probability outside [0, 1].
///
///     nn::Dropout dropout(0.5, Generator(7));
class Dropout : public Module<Dropout> {
 public:
  double probability = 0.5;
  bool training = true;
  detail::OwnGenerator generator;  // throws `ValueError` where it is read and there is none

  explicit Dropout(double p = 0.5, std::optional<Generator> own = {}) : probability(p), generator(own) {
    situ::internal::require_probability(p, "Dropout");
  }

  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) {
    return generator ? applied(x, *generator) : applied(x);
  }
  /// Throws `ValueError` in training with a generator of its own, which a const layer cannot advance.
  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    if (training && generator) {
      throw ValueError(
          "Dropout: a const layer in training cannot advance its generator; call eval(), or call the layer "
          "where it is not const");
    }
    return applied(x);
  }

  static constexpr auto members() {
    return nn::members("probability", &Dropout::probability, "training", &Dropout::training, "generator",
                       &Dropout::generator);
  }

 private:
  template <class X, class... G>
  [[nodiscard]] detail::output_t<X> applied(const X& x, G&... own) const {
    return dropout(autograd::as_variable(x), probability, training, own...);
  }
};

/// Merges axes `first` to `last` into one: an image (n, c, h, w) becomes a row (n, c * h * w).
struct Flatten {
  std::int64_t first = 1;
  std::int64_t last = -1;

  constexpr Flatten() = default;
  constexpr explicit Flatten(std::int64_t begin, std::int64_t end = -1) noexcept : first(begin), last(end) {}

  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return flatten(autograd::as_variable(x), first, last);
  }
};

}  // namespace situ::nn

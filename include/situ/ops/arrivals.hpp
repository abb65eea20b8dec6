// SPDX-License-Identifier: Apache-2.0
// Random waiting times and counts of events: `exponential poisson`. Like the draws of random.hpp, the same bits on every
// device and with any number of threads.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/number_text.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/poisson.hpp>
#include <situ/formula/random.hpp>
#include <situ/ops/binary.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/random.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// Exponential with mean 1: the time to the next of events that happen once in a unit of time on average; for others
/// write `mean * exponential<float>(shape)`. From 0 to 21.5 (`double`: 36.8), by the logarithm of a uniform number.
///
///     Tensor waiting = 0.5f * exponential({1000}, generator);    // twice in a unit of time; NumPy's scale is 0.5
template <FloatingElement T = float, Device D, internal::DrawnFrom G>
[[nodiscard]] Tensor<T, D> exponential(const Shape& shape, D, G&& generator) {
  return internal::sampled<D>(shape, internal::distribution::Exponential<T>{generator.next()});
}
template <FloatingElement T = float, internal::DrawnFrom G>
[[nodiscard]] Tensor<T, Cpu> exponential(const Shape& shape, G&& generator) {
  return exponential<T>(shape, Cpu{}, generator);
}
template <FloatingElement T = float, Device D = Cpu>
[[nodiscard]] Tensor<T, D> exponential(const Shape& shape, D = {}) {
  return internal::sampled<D>(shape, internal::distribution::Exponential<T>{internal::next_stream()});
}

namespace internal {

/// Counts as elements of type `T`; of a narrow integer type at most its largest.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> counts_as(const Tensor<std::int64_t, D>& counts) {
  if constexpr (std::same_as<T, std::int64_t>) return counts;
  else if constexpr (IntegerElement<T> && sizeof(T) < 8)
    return Tensor<T, D>(cast<T>(minimum(counts, std::int64_t{std::numeric_limits<T>::max()})));
  else return Tensor<T, D>(cast<T>(counts));
}

/// `next` returns the stream, and is called once the mean is valid.
template <Element T, Device D, class Next>
[[nodiscard]] Tensor<T, D> poisson_of_mean(double mean, const Shape& shape, Next&& next) {
  if (!(mean >= 0 && mean <= distribution::largest_poisson_mean)) {
    throw ValueError("poisson: the mean " + number_text(mean) + " is not in [0, 2^62]");
  }
  const distribution::Poisson counts{next(), mean, nullptr};
  return counts_as<T>(generated<std::int64_t, D>(shape, counts));
}

template <Element T, class X, class Next>
[[nodiscard]] Tensor<T, device_t<X>> poisson_of_means(const X& means, Next&& next) {
  using D = device_t<X>;
  const Tensor<double, D> each = contiguous(eval(cast<double>(detach(means))));
  if constexpr (HostDevice<D>) {
    if (!all(each >= 0.0 && each <= distribution::largest_poisson_mean).item()) {
      throw ValueError("poisson: a mean in the tensor of shape " + each.shape().to_string() +
                       " is negative, NaN, or above 2^62");
    }
  }
  const distribution::Poisson counts{next(), 0, each.element_pointer()};
  return counts_as<T>(generated<std::int64_t, D>(each.shape(), counts, each));
}

}  // namespace internal

/// Counts of events that happen `mean` times on average: Poisson numbers, `int64` unless `T` is given. By inversion for
/// means below 10, else by transformed rejection (W. Hoermann, 1993), whose probabilities are exact up to the rounding of
/// `double`. A narrow `T` gets at most its largest number. Throws `ValueError` for a mean that is negative,
/// NaN, or above 2^62.
///
///     Tensor calls = poisson(3.5, {24}, generator);
template <NumberElement T = std::int64_t, Device D, internal::DrawnFrom G>
[[nodiscard]] Tensor<T, D> poisson(double mean, const Shape& shape, D, G&& generator) {
  return internal::poisson_of_mean<T, D>(mean, shape, [&] { return generator.next(); });
}
template <NumberElement T = std::int64_t, internal::DrawnFrom G>
[[nodiscard]] Tensor<T, Cpu> poisson(double mean, const Shape& shape, G&& generator) {
  return poisson<T>(mean, shape, Cpu{}, generator);
}
template <NumberElement T = std::int64_t, Device D = Cpu>
[[nodiscard]] Tensor<T, D> poisson(double mean, const Shape& shape, D = {}) {
  return internal::poisson_of_mean<T, D>(mean, shape, internal::next_stream);
}

/// The same with a mean for each element, in the shape and on the device of `means`, as torch.poisson; no gradient. On a
/// GPU an invalid mean does not throw, and gives -1.
///
///     Tensor photons = poisson<float>(brightness * 100, generator);    // an image with its noise
template <NumberElement T = std::int64_t, TensorLike X, class... G>
  requires FloatingElement<value_type_t<X>> && internal::DrawnFromIfAny<G...>
[[nodiscard]] Tensor<T, device_t<X>> poisson(const X& means, G&&... generator) {
  return internal::poisson_of_means<T>(means, [&] {
    if constexpr (sizeof...(G) == 0) return internal::next_stream();
    else return (generator.next(), ...);
  });
}

}  // namespace situ

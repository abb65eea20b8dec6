// SPDX-License-Identifier: Apache-2.0
// Random tensors: rand, randn, randint, bernoulli, permutation. An element depends only on the seed, on the number of
// draws from the generator before it, and on its position: every device and every number of threads gives the same
// bits.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/number_text.hpp>
#include <situ/core/philox.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/formula/random.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/every_kernel.hpp>
#include <situ/ops/generator.hpp>
#include <situ/ops/sort.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// A generator that can be drawn from: a variable, or a temporary such as `Generator(7)`.
template <class G>
concept DrawnFrom = std::same_as<std::remove_reference_t<G>, Generator>;

/// A generator, or none.
template <class... G>
concept DrawnFromIfAny = sizeof...(G) <= 1 && (DrawnFrom<G> && ...);

template <Device D, class Distribution>
[[nodiscard]] Tensor<typename Distribution::value_type, D> sampled(const Shape& shape,
                                                                   const Distribution& distribution) {
  using T = typename Distribution::value_type;
  const Layout layout = Layout::row_major(shape);
  Storage<D> storage = allocate_elements<T, D>(shape);
  if (shape.count() > 0) {
    call_kernel<D, kernels::Random, Samples<backend_t<D>, Distribution>>(
        [&](auto backend) { sample(backend, distribution, destination<T>(storage, layout)); }, writes(storage));
  }
  return Tensor<T, D>(std::move(storage), layout);
}

/// `next` returns the stream, and is called once the arguments are valid: a draw that fails does not count.
template <IntegerElement T, class Next>
[[nodiscard]] distribution::Integers<T> integers_between(std::int64_t low, std::int64_t high, Next&& next) {
  if (low >= high) {
    throw ValueError("randint: no integer is at least " + std::to_string(low) + " and less than " +
                     std::to_string(high) + "; low must be below high");
  }
  static_cast<void>(element_from_scalar<T>(high - 1, "randint", name_wider_elements));
  const T first = element_from_scalar<T>(low, "randint", name_wider_elements);
  return {next(), first, static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low)};
}

template <Element T, class Next>
[[nodiscard]] distribution::Bernoulli<T> with_probability(double probability, Next&& next) {
  if (!(probability >= 0 && probability <= 1)) {
    throw ValueError("bernoulli: the probability " + internal::number_text(probability) + " is not in [0, 1]");
  }
  return distribution::Bernoulli<T>::with_probability(next(), probability);
}

}  // namespace internal

/// Seeds the generator that is used if none is given. Until then its seed is 0, so that a program which draws in one
/// thread gets the same numbers in every run. Which of several threads gets which draw depends on their timing: give
/// each a `Generator` of its own. A child of `fork` continues like its parent, and both draw the same numbers: for
/// others, the child sets a seed of its own.
inline void set_seed(std::uint64_t seed) {
  const std::unique_lock lock = internal::DefaultGenerator::lock();
  internal::default_generator.seed = seed;
  internal::default_generator.draws = 0;
}

/// `rand({3}, 42)`: "a seed is the argument of a Generator: fix: draw from Generator(42)", `rand({3}, Generator(42))`, or
/// from one with a name, to draw several.
struct a_seed_is_the_argument_of_a_Generator {
  struct fix_draw_from_Generator {
    template <std::integral Seed>
    fix_draw_from_Generator(Seed) = delete;
  };
};
namespace internal {
using SeedAlone = a_seed_is_the_argument_of_a_Generator::fix_draw_from_Generator;
}  // namespace internal

/// Uniform on [0, 1), with as many random bits as `T` has digits; never 1.
///
///     Tensor x = rand({2, 3});                               // float
///     Tensor y = rand<double>({2, 3}, gpu<0>, generator);
template <FloatingElement T = float, Device D, internal::DrawnFrom G>
[[nodiscard]] Tensor<T, D> rand(const Shape& shape, D, G&& generator) {
  return internal::sampled<D>(shape, internal::distribution::Uniform<T>{generator.next()});
}
template <FloatingElement T = float, internal::DrawnFrom G>
[[nodiscard]] Tensor<T, Cpu> rand(const Shape& shape, G&& generator) {
  return rand<T>(shape, Cpu{}, generator);
}
template <FloatingElement T = float, Device D = Cpu>
[[nodiscard]] Tensor<T, D> rand(const Shape& shape, D = {}) {
  return internal::sampled<D>(shape, internal::distribution::Uniform<T>{internal::next_stream()});
}

/// Normal with mean 0 and variance 1 (Box-Muller transform); for others write `2 * randn<float>(shape) + 1`.
template <FloatingElement T = float, Device D, internal::DrawnFrom G>
[[nodiscard]] Tensor<T, D> randn(const Shape& shape, D, G&& generator) {
  return internal::sampled<D>(shape, internal::distribution::Normal<T>{generator.next()});
}
template <FloatingElement T = float, internal::DrawnFrom G>
[[nodiscard]] Tensor<T, Cpu> randn(const Shape& shape, G&& generator) {
  return randn<T>(shape, Cpu{}, generator);
}
template <FloatingElement T = float, Device D = Cpu>
[[nodiscard]] Tensor<T, D> randn(const Shape& shape, D = {}) {
  return internal::sampled<D>(shape, internal::distribution::Normal<T>{internal::next_stream()});
}

/// `rand` and `randn` with the shape, the device and, by default, the element type of `x`.
///
///     Tensor noise = randn_like(x, generator);
template <class T = void, TensorLike X, class... G>
  requires FloatingElement<internal::element_or_t<T, value_type_t<X>>> && internal::DrawnFromIfAny<G...>
[[nodiscard]] Tensor<internal::element_or_t<T, value_type_t<X>>, device_t<X>> rand_like(const X& x, G&&... generator) {
  return rand<internal::element_or_t<T, value_type_t<X>>>(x.shape(), device_t<X>{}, generator...);
}
/// As `randn`, with shape, device and elements of `x`.
template <class T = void, TensorLike X, class... G>
  requires FloatingElement<internal::element_or_t<T, value_type_t<X>>> && internal::DrawnFromIfAny<G...>
[[nodiscard]] Tensor<internal::element_or_t<T, value_type_t<X>>, device_t<X>> randn_like(const X& x, G&&... generator) {
  return randn<internal::element_or_t<T, value_type_t<X>>>(x.shape(), device_t<X>{}, generator...);
}

/// Uniform integers in `[low, high)`. Throws `ValueError` if there are none or `T` cannot hold them.
///
///     Tensor dice = randint(1, 7, {100});            // int64
template <IntegerElement T = std::int64_t, Device D, internal::DrawnFrom G>
[[nodiscard]] Tensor<T, D> randint(std::int64_t low, std::int64_t high, const Shape& shape, D, G&& generator) {
  return internal::sampled<D>(shape, internal::integers_between<T>(low, high, [&] { return generator.next(); }));
}
template <IntegerElement T = std::int64_t, internal::DrawnFrom G>
[[nodiscard]] Tensor<T, Cpu> randint(std::int64_t low, std::int64_t high, const Shape& shape, G&& generator) {
  return randint<T>(low, high, shape, Cpu{}, generator);
}
template <IntegerElement T = std::int64_t, Device D = Cpu>
[[nodiscard]] Tensor<T, D> randint(std::int64_t low, std::int64_t high, const Shape& shape, D = {}) {
  return internal::sampled<D>(shape, internal::integers_between<T>(low, high, internal::next_stream));
}

/// `true` (or 1) with the given probability, else `false`: a dropout mask. The probability is rounded to a multiple of
/// 2^-32. Throws `ValueError` outside [0, 1].
///
///     Tensor keep = bernoulli<float>(0.9, x.shape(), gpu<0>, generator);
template <Element T = bool, Device D, internal::DrawnFrom G>
[[nodiscard]] Tensor<T, D> bernoulli(double probability, const Shape& shape, D, G&& generator) {
  return internal::sampled<D>(shape, internal::with_probability<T>(probability, [&] { return generator.next(); }));
}
template <Element T = bool, internal::DrawnFrom G>
[[nodiscard]] Tensor<T, Cpu> bernoulli(double probability, const Shape& shape, G&& generator) {
  return bernoulli<T>(probability, shape, Cpu{}, generator);
}
template <Element T = bool, Device D = Cpu>
[[nodiscard]] Tensor<T, D> bernoulli(double probability, const Shape& shape, D = {}) {
  return internal::sampled<D>(shape, internal::with_probability<T>(probability, internal::next_stream));
}

/// The integers 0 to `count - 1` in random order, as indices: `take(x, permutation(n), 0)` shuffles rows. All orders
/// are equally likely, unless two of `count` random 63-bit keys are equal.
template <Device D, internal::DrawnFrom G>
[[nodiscard]] Tensor<std::int64_t, D> permutation(std::int64_t count, D device, G&& generator) {
  return argsort(randint(0, std::numeric_limits<std::int64_t>::max(), Shape{count}, device, generator));
}
template <internal::DrawnFrom G>
[[nodiscard]] Tensor<std::int64_t, Cpu> permutation(std::int64_t count, G&& generator) {
  return permutation(count, Cpu{}, generator);
}
template <Device D = Cpu>
[[nodiscard]] Tensor<std::int64_t, D> permutation(std::int64_t count, D device = {}) {
  return argsort(randint(0, std::numeric_limits<std::int64_t>::max(), Shape{count}, device));
}

// Guards, never defined; a device may stand before the seed.
template <FloatingElement T = float>
Tensor<T, Cpu> rand(const Shape&, internal::SeedAlone);
template <FloatingElement T = float, Device D>
Tensor<T, D> rand(const Shape&, D, internal::SeedAlone);
template <FloatingElement T = float>
Tensor<T, Cpu> randn(const Shape&, internal::SeedAlone);
template <FloatingElement T = float, Device D>
Tensor<T, D> randn(const Shape&, D, internal::SeedAlone);
template <IntegerElement T = std::int64_t>
Tensor<T, Cpu> randint(std::int64_t, std::int64_t, const Shape&, internal::SeedAlone);
template <IntegerElement T = std::int64_t, Device D>
Tensor<T, D> randint(std::int64_t, std::int64_t, const Shape&, D, internal::SeedAlone);
template <Element T = bool>
Tensor<T, Cpu> bernoulli(double, const Shape&, internal::SeedAlone);
Tensor<std::int64_t, Cpu> permutation(std::int64_t, internal::SeedAlone);

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// What functors have in common: which elements they take, which they give, and that they compute on lanes. Each is an
// empty base that has its functor as a parameter: of two functors in one expression, `[[no_unique_address]]` members, that
// shared a base, one would be given an address of its own.
#pragma once

#include <concepts>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>

namespace situ::internal::functional {

/// Takes elements of any type that is not only kept, and gives elements of that type.
template <class F>
struct OfAny {
  using lane_functor = void;
  template <Element T>
  static constexpr bool accepts = !StorageElement<T>;
  template <Element T>
  using result = T;
};

template <class F>
struct OfNumbers : OfAny<F> {
  template <Element T>
  static constexpr bool accepts = NumberElement<T>;
};

/// Takes numbers and complex numbers.
template <class F>
struct OfNumbersAndComplex : OfAny<F> {
  template <Element T>
  static constexpr bool accepts = NumberElement<T> || ComplexElement<T>;
};

template <class F>
struct OfFloating : OfAny<F> {
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
};

/// Takes `bool` and integers.
template <class F>
struct OfBits : OfAny<F> {
  template <Element T>
  static constexpr bool accepts = std::same_as<T, bool> || IntegerElement<T>;
};

/// Takes integers.
template <class F>
struct OfIntegers : OfAny<F> {
  template <Element T>
  static constexpr bool accepts = IntegerElement<T>;
};

/// Takes `bool`.
template <class F>
struct OfConditions : OfAny<F> {
  template <Element T>
  static constexpr bool accepts = std::same_as<T, bool>;
};

/// Takes numbers and gives `bool`.
template <class F>
struct Condition : OfNumbers<F> {
  template <Element T>
  using result = bool;
};

}  // namespace situ::internal::functional

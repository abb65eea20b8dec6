// SPDX-License-Identifier: Apache-2.0
// Bases of functors: the elements that they take and return, and that they compute on lanes. Each is an empty base with
// its functor as a parameter: if two functors in one expression, `[[no_unique_address]]` members, shared a base, one of
// them would need an address of its own.
#pragma once

#include <concepts>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>

namespace situ::internal::functional {

/// Takes elements of any type that is not storage-only, and returns elements of that type.
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

/// Takes numbers and returns `bool`.
template <class F>
struct Condition : OfNumbers<F> {
  template <Element T>
  using result = bool;
};

}  // namespace situ::internal::functional

// SPDX-License-Identifier: Apache-2.0
// Weak scalars: a C++ number takes the element type of the tensor beside it, and never changes it.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/narrow.hpp>
#include <situ/core/number_text.hpp>

namespace situ::internal {

/// A C++ type that can be combined with a tensor of `T`: `bool` with `bool`, integers with integers, any number with
/// floating or complex elements, a complex one with complex elements, and `T` itself. A floating scalar with integers
/// does not compile.
template <class S, class T>
concept WeakScalarFor = Element<T> && (std::same_as<std::remove_cvref_t<S>, T> ||
                                       (std::integral<std::remove_cvref_t<S>> && IntegerElement<T>) ||
                                       (std::is_arithmetic_v<std::remove_cvref_t<S>> && DifferentiableElement<T>) ||
                                       (ComplexElement<T> && ComplexElement<std::remove_cvref_t<S>>));

/// The advice for a scalar that does not fit the elements of a tensor yet to be made.
inline constexpr const char* name_wider_elements = "name a wider element type in front of the arguments";
/// The advice for one beside a tensor.
inline constexpr const char* cast_to_wider_elements = "cast the tensor to a wider type first";
/// The advice for one that a tensor is compared with.
inline constexpr const char* all_compare_alike =
    "all elements compare alike with it: leave the comparison out, or cast the tensor to a wider type first";

/// The scalar as an element, rounded to nearest. Throws `ValueError` if the element type cannot hold it: an integer out
/// of range, or a finite number that would become infinite. `fix` is the advice in the message.
template <Element T, class S>
  requires WeakScalarFor<S, T>
[[nodiscard]] T element_from_scalar(S value, const char* operation, const char* fix = cast_to_wider_elements) {
  bool fits = true;
  T element{};
  if constexpr (std::same_as<S, T>) {
    return value;
  } else if constexpr (ComplexElement<T> && ComplexElement<S>) {
    return T(element_from_scalar<real_t<T>>(value.real(), operation, fix),
             element_from_scalar<real_t<T>>(value.imag(), operation, fix));
  } else if constexpr (ComplexElement<T>) {
    return T(element_from_scalar<real_t<T>>(value, operation, fix));
  } else if constexpr (IntegerElement<T>) {
    if constexpr (std::same_as<S, bool>) {
      return static_cast<T>(value);
    } else {
      fits = std::in_range<T>(+value);  // promoted: not defined for characters
      element = static_cast<T>(value);
    }
  } else {
    using Compute = compute_t<T>;
    element = internal::lane::rounded_once<T>(value);
    if constexpr (std::floating_point<S>) {
      fits = !std::isfinite(value) || std::isfinite(static_cast<Compute>(element));
    } else {
      fits = std::isfinite(static_cast<Compute>(element));
    }
  }
  if (!fits) {
    if constexpr (std::is_arithmetic_v<S>) {  // a 16-bit float is its own element, and fits
      throw ValueError(std::string(operation) + ": the scalar " + internal::number_text(value) + " does not fit in " +
                       std::string(dtype_name<T>()) + "; " + fix);
    }
  }
  return element;
}

}  // namespace situ::internal

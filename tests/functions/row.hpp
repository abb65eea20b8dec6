// SPDX-License-Identifier: Apache-2.0
// What the rows of the table of functions are made of, see functions.hpp.
#pragma once

#include <concepts>

#include <situ/core/dtype.hpp>

namespace function_table {

struct Any {
  template <situ::Element T>
  static constexpr bool accepts = true;
};
struct Numbers {
  template <situ::Element T>
  static constexpr bool accepts = situ::NumberElement<T>;
};
struct Floating {
  template <situ::Element T>
  static constexpr bool accepts = situ::FloatingElement<T>;
};
struct Truth {
  template <situ::Element T>
  static constexpr bool accepts = std::same_as<T, bool>;
};
struct Bits {
  template <situ::Element T>
  static constexpr bool accepts = std::same_as<T, bool> || situ::IntegerElement<T>;
};
struct Integers {
  template <situ::Element T>
  static constexpr bool accepts = situ::IntegerElement<T>;
};
inline constexpr Any any;
inline constexpr Numbers numbers;
inline constexpr Floating floating;
inline constexpr Truth truth;
inline constexpr Bits bits;
inline constexpr Integers integers;

struct Interval {
  double low = -3;
  double high = 3;
};

struct Ulps {
  double of_float, of_double;
  constexpr Ulps(double both) : of_float(both), of_double(both) {}
  constexpr Ulps(double single, double twice) : of_float(single), of_double(twice) {}
  template <class T>
  [[nodiscard]] constexpr double of() const {
    return std::same_as<T, double> ? of_double : of_float;
  }
};
/// The exact result rounded once; the reference rounds as well.
inline constexpr Ulps rounded = 0.501;

/// In place of a derivative where there is none.
struct Undifferentiable {};
inline constexpr Undifferentiable none;
/// The derivative of what is constant between steps.
inline constexpr auto zero = [](auto) { return 0; };
/// Of functions of two operands only that they have derivatives: those are compared with differences of values.
struct Differentiable {};
inline constexpr Differentiable both;

template <class F, class Call, class Elements, class Reference, class Derivative>
struct Unary {
  static constexpr bool differentiable = !std::same_as<Derivative, Undifferentiable>;
  template <situ::Element T>
  static constexpr bool accepts = Elements::template accepts<T>;

  const char* name;
  F functor;
  Call call;
  Interval interval;
  Ulps ulps;
  Reference reference;
  Derivative derivative;
  double gradient_ulps;

  constexpr Unary(const char* its_name, F its_functor, Call its_call, Elements, Interval its_interval, Ulps its_ulps,
                  Reference its_reference, Derivative its_derivative, double its_gradient_ulps = 8)
      : name(its_name), functor(its_functor), call(its_call), interval(its_interval), ulps(its_ulps),
        reference(its_reference), derivative(its_derivative), gradient_ulps(its_gradient_ulps) {}
};

template <class F, class Call, class Elements, class Reference, class Derivative>
struct Binary {
  static constexpr bool differentiable = !std::same_as<Derivative, Undifferentiable>;
  template <situ::Element T>
  static constexpr bool accepts = Elements::template accepts<T>;

  const char* name;
  F functor;
  Call call;
  Interval left, right;
  Ulps ulps;
  Reference reference;

  constexpr Binary(const char* its_name, F its_functor, Call its_call, Elements, Interval its_left, Interval its_right,
                   Ulps its_ulps, Reference its_reference, Derivative)
      : name(its_name), functor(its_functor), call(its_call), left(its_left), right(its_right), ulps(its_ulps),
        reference(its_reference) {}
};

}  // namespace function_table

// SPDX-License-Identifier: Apache-2.0
// How several elements written to one place are combined: the rules of `scatter` and its family, the same on every
// device. A device applies them to a place in the order of the indices, so that its result is bitwise equal to the
// CPU's. Sums and products round once where they would lose much: those of 16-bit floats are computed in `float`, and
// those of more than `most_narrow` floats in `double`.
#pragma once

#include <concepts>
#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/fold.hpp>

namespace situ::internal::scattering {

/// The most elements that are added at one place in their own type, `float`. The error of the sum is at most 2^-16 of
/// the sum of magnitudes, and usually a hundredth of that.
inline constexpr std::int64_t most_narrow = 256;

// A rule defines
//   name                    the name of kernels
//   replaces                whether only the last write counts: then elements of any type are just moved
//   accumulates             whether rounding errors add up
//   identity<T>             an element that changes nothing, unless it replaces
//   combine(place, value)   the new element at the place

struct Replace {
  static constexpr const char* name = "scatter";
  static constexpr bool replaces = true;
  static constexpr bool accumulates = false;
  template <class T>
  static constexpr T combine(T, T value) {
    return value;
  }
};

struct Sum {
  static constexpr const char* name = "scatter_add";
  static constexpr bool replaces = false;
  static constexpr bool accumulates = true;
  template <class T>
  static constexpr compute_t<T> identity = 0;
  template <class T>
  static constexpr T combine(T place, T value) {
    if constexpr (IntegerElement<T>) {  // wraps
      return static_cast<T>(static_cast<std::uint64_t>(place) + static_cast<std::uint64_t>(value));
    } else {
      return static_cast<T>(static_cast<compute_t<T>>(place) + static_cast<compute_t<T>>(value));
    }
  }
};

struct Prod {
  static constexpr const char* name = "scatter_reduce: prod";
  static constexpr bool replaces = false;
  static constexpr bool accumulates = true;
  template <class T>
  static constexpr compute_t<T> identity = 1;
  template <class T>
  static constexpr T combine(T place, T value) {
    if constexpr (IntegerElement<T>) {
      return static_cast<T>(static_cast<std::uint64_t>(place) * static_cast<std::uint64_t>(value));
    } else {
      return static_cast<T>(static_cast<compute_t<T>>(place) * static_cast<compute_t<T>>(value));
    }
  }
};

/// The largest element (`Upwards`) or the smallest; NaN if there is one, as in the reductions `max` and `min`.
template <bool Upwards>
struct Extremum {
  static constexpr const char* name = Upwards ? "scatter_reduce: max" : "scatter_reduce: min";
  static constexpr bool replaces = false;
  static constexpr bool accumulates = false;
  template <class T>
  static constexpr compute_t<T> identity = fold::Extremum<compute_t<T>, Upwards>::identity;
  template <class T>
  static constexpr T combine(T place, T value) {
    using C = compute_t<T>;
    return static_cast<T>(fold::Extremum<C, Upwards>::combine(static_cast<C>(place), static_cast<C>(value)));
  }
};
using Min = Extremum<false>;
using Max = Extremum<true>;

/// Whether sums of many elements at a place of `T` are computed in `double`.
template <class Rule, class T>
inline constexpr bool widens_many = Rule::accumulates && std::same_as<T, float>;
/// Whether places of `T` are accumulated in a wider type from some number of elements on.
template <class Rule, class T>
inline constexpr bool widens = Rule::accumulates && OneOf<T, float, float16, bfloat16>;
/// The most elements that are added at a place in `T` itself: a single one is rounded once in any case.
template <class T>
inline constexpr std::int64_t most_as_they_are = std::same_as<T, float> ? most_narrow : 1;

}  // namespace situ::internal::scattering

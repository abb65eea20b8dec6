// SPDX-License-Identifier: Apache-2.0
// The reductions by name: the element types that each accepts, the fold that accumulates them (formula/fold.hpp, driven
// by a backend), the result type, and the last step from the accumulated value to the result.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/narrow.hpp>
#include <situ/formula/fold.hpp>

namespace situ::internal::reduction {

/// The type that a reduction reads: the compute type of an expression over `T`, with `bool` as bytes of 0 and 1.
template <Element T>
using read_t = typename std::conditional_t<std::same_as<T, bool>, std::type_identity<std::uint8_t>,
                                           std::type_identity<compute_t<T>>>::type;

/// The result type of sums and products: `int64` for `bool` and integers, which then hardly ever overflow, else the
/// element type. `uint64` stays, since a single element need not fit in `int64`. (NumPy returns `uint64` for all
/// unsigned types. Ours are signed because sums of images are subtracted from one another.)
template <Element T>
using sum_t = typename std::conditional_t<DifferentiableElement<T> || std::same_as<T, uint64_t>, std::type_identity<T>,
                                          std::type_identity<int64_t>>::type;

/// An accumulated value rounded once to the element type of a result.
template <Element Out, class Total>
constexpr Out rounded(Total total) {
  return lane::rounded_once<Out>(total);
}

struct Sum {
  static constexpr const char* name = "sum";
  template <class T>
  using Fold = fold::Sum<T>;
  static constexpr bool has_identity = true;
  static constexpr bool asks_for_position = false;
  template <Element T>
  static constexpr bool accepts = !StorageElement<T>;
  template <Element T>
  using result = sum_t<T>;

  template <Element Out, class Total>
  constexpr Out finish(Total total, std::int64_t) const {
    return rounded<Out>(total);
  }
};

struct Prod : Sum {
  static constexpr const char* name = "prod";
  template <class T>
  using Fold = fold::Prod<T>;
};

/// The sum divided by the number of elements; NaN for no elements.
struct Mean : Sum {
  static constexpr const char* name = "mean";
  template <Element T>
  static constexpr bool accepts = DifferentiableElement<T>;
  template <Element T>
  using result = T;

  template <Element Out, class Total>
  constexpr Out finish(Total total, std::int64_t count) const {
    return rounded<Out>(total / static_cast<Total>(count));
  }
};

/// The sum of squared distances to the mean, divided by n - ddof, or by 0 if that is negative, as in NumPy.
struct Variance : Mean {
  static constexpr const char* name = "var";
  template <class T>
  using Fold = fold::Moments<T>;
  double ddof = 0;
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;

  template <Element Out, class Total>
  constexpr Out finish(Total squares, std::int64_t count) const {
    return rounded<Out>(variance(squares, count));
  }
  template <class Total>
  constexpr double variance(Total squares, std::int64_t count) const {
    const double divisor = static_cast<double>(count) - ddof;
    return static_cast<double>(squares) / (divisor > 0 ? divisor : 0.0);
  }
};

struct StandardDeviation : Variance {
  static constexpr const char* name = "stddev";

  template <Element Out, class Total>
  constexpr Out finish(Total squares, std::int64_t count) const {
    return rounded<Out>(::sqrt(variance(squares, count)));
  }
};

/// The square root of the sum of squares, accumulated in `double`.
struct Norm2 : Mean {
  static constexpr const char* name = "norm";
  template <class T>
  using Fold = fold::SumOfSquares<T>;
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;

  template <Element Out, class Total>
  constexpr Out finish(Total squares, std::int64_t) const {
    return rounded<Out>(::sqrt(squares));
  }
};

/// NaN if any element is NaN. Undefined for no elements.
struct Min : Sum {
  static constexpr const char* name = "min";
  template <class T>
  using Fold = fold::Min<T>;
  static constexpr bool has_identity = false;
  template <Element T>
  static constexpr bool accepts = !ComplexElement<T> && !StorageElement<T>;
  template <Element T>
  using result = T;
};
struct Max : Min {
  static constexpr const char* name = "max";
  template <class T>
  using Fold = fold::Max<T>;
};

/// The position of the extremum: the first NaN if there is one, else the first of equal elements.
struct ArgMin : Min {
  static constexpr const char* name = "argmin";
  template <class T>
  using Fold = fold::Position<fold::Min<T>>;
  static constexpr bool asks_for_position = true;
  template <Element T>
  using result = int64_t;
};
struct ArgMax : ArgMin {
  static constexpr const char* name = "argmax";
  template <class T>
  using Fold = fold::Position<fold::Max<T>>;
};

struct Any : Sum {
  static constexpr const char* name = "any";
  template <class T>
  using Fold = fold::Any<T>;
  template <Element T>
  static constexpr bool accepts = std::same_as<T, bool>;
  template <Element T>
  using result = bool;
};
struct All : Any {
  static constexpr const char* name = "all";
  template <class T>
  using Fold = fold::All<T>;
};

}  // namespace situ::internal::reduction

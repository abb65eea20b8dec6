// SPDX-License-Identifier: Apache-2.0
// How Eigen's files take part: see `offer`.
#pragma once

#include "rows.hpp"

#include <Eigen/Core>

namespace rows {

struct Eigen3 {
  static constexpr const char* name = "eigen";
  template <class T>
  using Array = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  static std::string version() {
    return std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
           std::to_string(EIGEN_MINOR_VERSION);
  }
  /// A vector is a matrix of one row.
  template <class T>
  static Array<T> operand(const Extents& extents, unsigned seed) {
    const std::vector<T> elements = random<T>(count_of(extents), seed);
    return Eigen::Map<const Array<T>>(elements.data(), extents.size() == 1 ? 1 : extents[0], extents.back());
  }
  template <class X>
  static auto made(X&& x) {
    if constexpr (std::is_arithmetic_v<std::decay_t<X>>) {
      return x;
    } else {
      typename std::decay_t<X>::PlainObject z = std::forward<X>(x);
      return z;
    }
  }
  template <class T>
  static Array<T> space(const Extents& extents) {
    return operand<T>(extents, 1);
  }
  template <class Z, class X>
  static void put(Z& z, const X& x) {
    z = x;
  }
  template <class X>
  static std::vector<double> values(const X& x) {
    if constexpr (std::is_arithmetic_v<X>) {
      return {static_cast<double>(x)};
    } else {
      std::vector<double> found;
      for (Eigen::Index i = 0; i < x.rows(); ++i) {
        for (Eigen::Index j = 0; j < x.cols(); ++j) found.push_back(static_cast<double>(x(i, j)));
      }
      return found;
    }
  }
};

}  // namespace rows

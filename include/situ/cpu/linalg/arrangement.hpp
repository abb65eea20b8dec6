// SPDX-License-Identifier: Apache-2.0
// Arrangements of small matrices in computations: side by side, where a register holds one element of each matrix of a
// group; or alone, where it holds contiguous elements of a row. Algorithms are written once for both, in terms of
// elements and pieces of rows: operations on an element and their order are the same, and so are its bits, for any
// number of matrices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <situ/core/config.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/linalg/groups.hpp>
#include <situ/cpu/linalg/matrices.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// A group of matrices.
template <class T, class V = GroupRegister<T>>
struct SideBySide {
  using Number = T;
  using Element = V;
  static constexpr std::int64_t step = 1;  // elements in a piece

  template <class Rows, class Stride>
  using Room = GroupRoom<Element, Rows, Stride>;

  /// The distance between rows of this many elements.
  template <class Width>
  [[nodiscard]] static Width stride(Width width) {
    return width;
  }
  /// The beginning of a piece with this element; the elements before it are no longer read.
  [[nodiscard]] static std::int64_t begin(std::int64_t element) { return element; }
  [[nodiscard, SITU_INLINE]] static Element constant(T x) { return native::broadcast<Element>(x); }
  [[nodiscard, SITU_INLINE]] static Element magnitude(const Element& x) { return native::copy_sign(x, Element{}); }
  [[nodiscard, SITU_INLINE]] static Element square_root(const Element& x) { return native::sqrt(x); }
  [[nodiscard, SITU_INLINE]] static const Element& load(const Element* from) { return *from; }
  [[SITU_INLINE]] static void store(Element* to, const Element& x) { *to = x; }

  /// Where `row` has the larger magnitude in column `c`, swaps it with `top`, and flips the sign of `product`.
  [[SITU_INLINE]] static void exchange(Element* top, Element* row, std::int64_t c, std::int64_t width,
                                       Element& product) {
    const auto larger = native::copy_sign(top[c], Element{}) < native::copy_sign(row[c], Element{});
    for (std::int64_t j = c; j < width; ++j) {
      const Element above = larger ? row[j] : top[j];
      row[j] = larger ? top[j] : row[j];
      top[j] = above;
    }
    product = larger ? -product : product;
  }

  /// Reads the matrices of group `at`.
  template <class Rows, class Columns>
  [[SITU_INLINE]] static void read(const program::Matrices<T>& a, Rows rows, Columns columns, std::int64_t at,
                                   Element* to, std::int64_t stride) {
    load_group(a, rows, columns, at, to, stride);
  }
  /// Writes the results of group `at`, of `count` matrices in all.
  template <class Rows, class Columns>
  [[SITU_INLINE]] static void write(const Element* from, std::int64_t stride, Rows rows, Columns columns,
                                    std::int64_t at, std::int64_t count, T* out) {
    store_group(from, stride, rows, columns, at, count, out);
  }
};

/// One matrix.
template <class T>
struct Alone {
  using Number = T;
  using Element = T;
  using Piece = native::vector_t<T, std::min(32, vector_bytes)>;
  static constexpr std::int64_t step = native::width_v<Piece>;

  /// The elements after the rows are 0.
  template <class, class>
  class Room {
   public:
    Room(std::int64_t rows, std::int64_t stride) { std::fill_n(elements_, rows * stride, T(0)); }
    [[nodiscard]] T* elements() { return elements_; }

   private:
    static constexpr std::int64_t most_rows = std::max(most_rows_side_by_side, most_rows_of_systems_side_by_side);
    static constexpr std::int64_t most_width = std::max(most_rows_side_by_side, 2 * most_rows_of_systems_side_by_side);
    T elements_[static_cast<std::size_t>(most_rows * (most_width + 2 * step))];
  };

  /// Such that a piece that begins in a row ends before the next row.
  [[nodiscard]] static std::int64_t stride(std::int64_t width) { return (width + 2 * step - 2) / step * step; }
  [[nodiscard]] static std::int64_t begin(std::int64_t element) { return element / step * step; }
  [[nodiscard]] static T constant(T x) { return x; }
  [[nodiscard]] static T magnitude(T x) { return lane::abs(x); }
  [[nodiscard]] static T square_root(T x) { return lane::sqrt(x); }
  [[nodiscard, SITU_INLINE]] static Piece load(const T* from) {
    Piece x;
    __builtin_memcpy(&x, from, sizeof(x));
    return x;
  }
  [[SITU_INLINE]] static void store(T* to, const Piece& x) { __builtin_memcpy(to, &x, sizeof(x)); }

  static void exchange(T* top, T* row, std::int64_t c, std::int64_t width, T& product) {
    if (!(lane::abs(top[c]) < lane::abs(row[c]))) return;
    for (std::int64_t j = begin(c); j < width; j += step) {
      const Piece above = load(row + j);
      store(row + j, load(top + j));
      store(top + j, above);
    }
    product = -product;
  }

  static void read(const program::Matrices<T>& a, std::int64_t, std::int64_t, std::int64_t at, T* to,
                   std::int64_t stride) {
    copy_rows(a, at, to, stride);
  }
  static void write(const T* from, std::int64_t stride, std::int64_t rows, std::int64_t columns, std::int64_t at,
                    std::int64_t, T* out) {
    copy_rows(program::Matrices<T>{1, rows, columns, from, stride, 1, 0}, 0, out + at * rows * columns);
  }
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail

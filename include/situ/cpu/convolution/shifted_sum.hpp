// SPDX-License-Identifier: Apache-2.0
// Sums of shifted copies of a plane, each with a factor: a depthwise convolution of one image, and its gradient. A
// vector of sums stays in a register for all terms, which are added in their order to every element.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/plan/window.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// One axis: element `o` of the sum reads position `o * stride + first + i * step` in term `i`, if the plane has it.
struct ShiftAxis {
  std::int64_t in, out, terms, stride, first, step;

  /// The positions that windows read.
  [[nodiscard]] static ShiftAxis of_windows(const program::WindowAxis& axis) {
    return {axis.in, axis.out, axis.kernel, axis.stride, -axis.padding, axis.dilation};
  }
  /// For an element of the image, the windows that contain it, which begin at each position.
  [[nodiscard]] static ShiftAxis of_image(const program::WindowAxis& axis) {
    return {axis.out, axis.in, axis.kernel, 1, axis.padding, -axis.dilation};
  }

  [[nodiscard]] std::int64_t shift(std::int64_t i) const { return first + i * step; }
  [[nodiscard]] bool has(std::int64_t o, std::int64_t i) const {
    const std::int64_t at = o * stride + shift(i);
    return at >= 0 && at < in;
  }
  /// The first element that has term `i`; the elements up to, but not including, `end(i)` have it.
  [[nodiscard]] std::int64_t begin(std::int64_t i) const {
    return shift(i) >= 0 ? 0 : std::min(out, (-shift(i) + stride - 1) / stride);
  }
  [[nodiscard]] std::int64_t end(std::int64_t i) const {
    const std::int64_t room = in - shift(i);
    return room <= 0 ? begin(i) : std::clamp((room + stride - 1) / stride, begin(i), out);
  }

  /// The positions between the first term of an element and its last, both included.
  [[nodiscard]] std::int64_t span() const { return (terms - 1) * std::abs(step) + 1; }
  /// Elements [from, to) of the sum, over the positions of the plane from `position` on that they read.
  struct Part;
  [[nodiscard]] Part part(std::int64_t from, std::int64_t to) const;
};

struct ShiftAxis::Part {
  ShiftAxis axis;
  std::int64_t position;
};

inline ShiftAxis::Part ShiftAxis::part(std::int64_t from, std::int64_t to) const {
  const std::int64_t least = std::min(shift(0), shift(terms - 1));
  const std::int64_t position = std::clamp<std::int64_t>(from * stride + least, 0, in);
  const std::int64_t stop = std::clamp((to - 1) * stride + least + span(), position, in);
  return {{stop - position, to - from, terms, stride, first + from * stride - position, step}, position};
}

struct ShiftedPlane;  // a purpose of working memory

/// The elements of one plane, in rows of `phases * pitch` elements: columns that are `phases` apart are adjacent, so
/// that a vector of them can be loaded, even one that begins or ends outside the plane.
template <class T>
struct PhasedPlane {
  static constexpr std::int64_t margin = 16;
  const T* data;
  std::int64_t pitch, row;

  /// A copy of rows that are `distance` apart, valid until this thread makes the next one.
  PhasedPlane(const T* from, std::int64_t rows, std::int64_t columns, std::int64_t distance, std::int64_t phases)
      : pitch((columns - 1) / phases + 1), row(pitch * phases) {
    const std::int64_t elements = rows * row;
    T* const all = scratch<ShiftedPlane, T>(elements + 2 * margin);
    T* to = all + margin;
    data = to;
    std::fill_n(all, margin, T(0));
    std::fill_n(to + elements, margin, T(0));
    if (phases == 1) {
      if (columns == distance) std::copy_n(from, elements, to);
      for (std::int64_t line = 0; columns != distance && line < rows; ++line)
        std::copy_n(from + line * distance, columns, to + line * row);
      return;
    }
    for (std::int64_t line = 0; line < rows; ++line, from += distance) {
      for (std::int64_t phase = 0; phase < phases; ++phase, to += pitch) {
        const std::int64_t count = phase < columns ? (columns - phase - 1) / phases + 1 : 0;
        for (std::int64_t c = 0; c < count; ++c) to[c] = from[c * phases + phase];
        std::fill(to + count, to + pitch, T(0));
      }
    }
  }
};

/// The first `count` of `Size` elements; the others are unspecified.
template <class T, int Size>
[[SITU_INLINE]] inline Lanes<T, Size> load_some(const T* from, std::int64_t count) {
  if (count == Size) return load<T, Size>(from);
  alignas(64) T all[std::size_t{Size}] = {};
  std::copy_n(from, count, all);
  return load<T, Size>(all);
}

/// The lanes in [begin, end).
template <class T, int Size>
[[nodiscard]] Mask<T, Size> lanes_in(std::int64_t begin, std::int64_t end) {
  alignas(64) static constexpr std::array<T, 16> numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Lanes<T, Size> number = load<T, Size>(numbers.data());
  const auto bound = [](std::int64_t at) {
    return Lanes<T, Size>(static_cast<T>(std::clamp<std::int64_t>(at, 0, Size)));
  };
  return (number >= bound(begin)) & (number < bound(end));
}

template <class T>
class ShiftedSum {
 public:
  static constexpr std::int64_t most_across = 16;  // terms

  ShiftedSum(const ShiftAxis& down, const ShiftAxis& across) : down_(down), across_(across) {}

  /// Adds `factors[i * across.terms + j]` times the plane `from`, shifted, to `begin`, or to each element of `to` if it
  /// is null.
  ///
  /// In parts of the plane that stay in the cache: some rows, or pieces of some long rows. The same bits.
  void operator()(const T* from, const T* factors, const T* begin, T* to) const {
    const std::int64_t span = down_.span(), stride = down_.stride;
    const std::int64_t fit = across_.in > 0 ? (cached / across_.in - span) / stride + 1 : down_.out;
    const std::int64_t rows = std::min(std::max(fit, span), down_.out);  // fewer would copy those between too often
    const std::int64_t read = std::min((rows - 1) * stride + span, down_.in);
    std::int64_t columns = across_.out;
    if (read * across_.in > 8 * cached)
      columns = std::max<std::int64_t>(1024, cached / (read * across_.stride)) / widest * widest;
    for (std::int64_t row = 0; row < down_.out; row += rows) {
      for (std::int64_t column = 0; column < across_.out; column += columns) {
        add_part(from, factors, begin, to, row, std::min(row + rows, down_.out), column,
                 std::min(column + columns, across_.out));
      }
    }
  }

 private:
  static constexpr std::int64_t cached = std::int64_t{1} << 17;  // elements of a part of the plane

  /// Columns [column, end_column) of rows [row, end_row).
  void add_part(const T* from, const T* factors, const T* begin, T* to, std::int64_t row, std::int64_t end_row,
                std::int64_t column, std::int64_t end_column) const {
    const ShiftAxis::Part down = down_.part(row, end_row), across = across_.part(column, end_column);
    const PhasedPlane<T> plane(from + down.position * across_.in + across.position, down.axis.in, across.axis.in,
                               across_.in, across_.stride);
    ShiftedSum(down.axis, across.axis)
        .template add<widest>({plane, factors, begin, to + row * across_.out + column, across_.out}, 0);
  }

  static constexpr int widest = vector_bytes / static_cast<int>(sizeof(T));
  static constexpr int narrowest = widest < 4 ? widest : 4;

  struct Operands {
    PhasedPlane<T> plane;
    const T* factors;
    const T* begin;
    T* to;
    std::int64_t distance;  // between rows of `to`
  };
  /// A term of the sums in one vector of columns.
  template <int Size>
  struct Column {
    std::int64_t j;
    std::int64_t offset;  // offset of the vector in a row of the plane
    Mask<T, Size> mask;
  };

  /// From `column` on; a narrower vector takes the rest after the last whole one.
  template <int Size>
  void add(const Operands& x, std::int64_t column) const {
    for (; column < across_.out && (Size == narrowest || across_.out - column > Size / 2); column += Size)
      add_columns<Size>(x, column);
    if constexpr (Size > narrowest) add<Size / 2>(x, column);
  }

  template <int Size>
  void add_columns(const Operands& x, std::int64_t column) const {
    std::array<Column<Size>, most_across> terms;
    int count = 0;
    bool whole = true;
    for (std::int64_t j = 0; j < across_.terms; ++j) {
      const std::int64_t begin = across_.begin(j) - column, end = across_.end(j) - column;
      if (end <= 0 || begin >= Size || begin >= end) continue;
      const std::int64_t shift = across_.shift(j), stride = across_.stride;
      const std::int64_t phase = (shift % stride + stride) % stride;
      terms[static_cast<std::size_t>(count++)] = {j, phase * x.plane.pitch + (shift - phase) / stride + column,
                                                  lanes_in<T, Size>(begin, end)};
      whole = whole && begin <= 0 && end >= std::min<std::int64_t>(Size, across_.out - column);
    }
    if (whole) add_column<Size, false>(x, terms.data(), count, column);
    else add_column<Size, true>(x, terms.data(), count, column);
  }

  /// The sums of the columns from `column` on, for all rows, four at a time if they have the same terms.
  template <int Size, bool Masked>
  void add_column(const Operands& x, const Column<Size>* terms, int count, std::int64_t column) const {
    std::int64_t r = 0;
    while (r < down_.out) {
      std::int64_t begin = 0, end = down_.terms;
      while (begin < end && !down_.has(r, begin)) ++begin;
      while (begin < end && !down_.has(r, end - 1)) --end;
      const bool four =
          begin == 0 && end == down_.terms && r + 3 < down_.out && down_.has(r + 3, 0) && down_.has(r + 3, end - 1);
      if (four) add_rows<Size, Masked>(std::make_index_sequence<4>{}, x, terms, count, r, begin, end, column);
      else add_rows<Size, Masked>(std::make_index_sequence<1>{}, x, terms, count, r, begin, end, column);
      r += four ? 4 : 1;
    }
  }

  /// The sums of row `r` and those after it, each in a register: a loop over them would keep them in memory.
  template <int Size, bool Masked, std::size_t... Row>
  void add_rows(std::index_sequence<Row...>, const Operands& x, const Column<Size>* terms, int count, std::int64_t r,
                std::int64_t begin, std::int64_t end, std::int64_t column) const {
    using V = Lanes<T, Size>;
    using lane::mul_add;  // nvcc 13 crashes if lookup finds only the friend of `Lanes`
    const std::int64_t columns = std::min<std::int64_t>(Size, across_.out - column), step = down_.stride * x.plane.row;
    T* const out = x.to + r * x.distance + column;
    constexpr auto at = [](std::size_t row) { return static_cast<std::int64_t>(row); };
    V sums[sizeof...(Row)];
    ((sums[Row] = x.begin != nullptr ? V(*x.begin) : load_some<T, Size>(out + at(Row) * x.distance, columns)), ...);
    for (std::int64_t i = begin; i < end; ++i) {
      const T* const line = x.plane.data + (r * down_.stride + down_.shift(i)) * x.plane.row;
      for (int t = 0; t < count; ++t) {
        const V factor(x.factors[i * across_.terms + terms[t].j]);
        const T* const from = line + terms[t].offset;
        if constexpr (Masked) {
          const Mask<T, Size> mask = terms[t].mask;
          ((sums[Row] = select(mask, mul_add(factor, load<T, Size>(from + at(Row) * step), sums[Row]), sums[Row])),
           ...);
        } else {
          ((sums[Row] = mul_add(factor, load<T, Size>(from + at(Row) * step), sums[Row])), ...);
        }
      }
    }
    (store_some<Size>(out + at(Row) * x.distance, sums[Row], columns), ...);
  }

  template <int Size>
  [[SITU_INLINE]] static void store_some(T* to, Lanes<T, Size> value, std::int64_t count) {
    if (count == Size) return store(to, value);
    alignas(64) T all[std::size_t{Size}];
    store(all, value);
    std::copy_n(all, count, to);
  }

  ShiftAxis down_, across_;
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail

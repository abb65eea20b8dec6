// SPDX-License-Identifier: Apache-2.0
// The kernels of a reduction as its drivers, which are not templates, see them: a table of functions for each pair of a
// reduction and an element type. No kernel depends on the expression being reduced.
#pragma once

#include <cstddef>
#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/cpu/copy.hpp>
#include <situ/cpu/transpose.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/reduction.hpp>
#include <situ/plan/unit.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// The transpose of a contiguous matrix to `to`, with rows `pitch` apart.
template <int Bytes>
void transpose_elements(const std::byte* from, std::byte* to, std::int64_t rows, std::int64_t columns,
                        std::int64_t pitch) {
  using Unit [[gnu::may_alias]] = unit_t<Bytes>;
  transpose_plane(reinterpret_cast<const Unit*>(from), columns, reinterpret_cast<Unit*>(to), pitch, rows, columns);
}

/// Bytes of elements that are reduced at a time: they fit in the first-level cache, and partial results of floats are
/// added to a wider type after each block.
inline constexpr std::int64_t block_bytes = 16384;

/// Partial results of adjacent columns, as one array for each member of a result, `pitch` elements long.
struct Panel {
  std::byte* base;
  std::int64_t pitch;
  std::int64_t first_row = 0;
  bool started = false;

  /// The array of `T` that starts `offset` bytes a column into the panel.
  template <class T>
  [[nodiscard]] T* array(std::int64_t offset) const noexcept {
    return reinterpret_cast<T*>(base + offset * pitch);
  }
};

/// Rows that `panel_rows` adds up before `panel_flush` must be called.
inline constexpr std::int64_t rows_between_flushes = 64;
/// The most rows per call of `panel_rows`. (64 were 4 % faster at 250 x 400, and took two to three times as long for
/// rows that are kilobytes apart.)
inline constexpr int most_panel_rows = 8;
/// The pitch of a panel is a multiple of this.
inline constexpr std::int64_t panel_alignment = 64;

/// The fewest columns of a panel, if several narrow rows can be read as one wide row.
inline constexpr std::int64_t wide_row = 2 * panel_alignment;
/// Whether all rows together are one wide row.
[[nodiscard]] constexpr bool is_one_wide_row(std::int64_t rows, std::int64_t columns) noexcept {
  return columns < wide_row && rows <= (wide_row + columns - 1) / columns;
}

/// The functions of one reduction over one element type.
///
/// Along a row: `start` a state, pass contiguous elements to `row`, `merge` it with the state of the elements that
/// follow, and `finish` one result. Across rows: the same for many columns at once, whose states are a `Panel`.
/// Positions count from the first of the elements that become one result.
struct Reducer {
  int element_size;
  int result_size;
  /// Functions that move elements and results of these sizes.
  decltype(&transpose_elements<4>) transpose;
  decltype(&strided_copy<4>) copy_results;

  std::int64_t state_bytes;  // a multiple of 64
  void (*start)(void* state);
  void (*row)(void* state, const void* elements, std::int64_t count, std::int64_t position);
  void (*merge)(void* state, const void* following);
  void (*finish)(const void* state, const void* operation, std::int64_t count, void* out);
  /// All of that for contiguous rows, each of `count` elements, at most one block.
  void (*rows)(const void* elements, const void* operation, std::int64_t rows, std::int64_t count, void* out);
  /// The same for rows of a few elements, with the bits of a panel; null if there is none.
  void (*short_rows)(const void* elements, const void* operation, std::int64_t rows, std::int64_t count, void* out);
  /// The same for a few columns whose elements make up one wide row of a panel.
  void (*short_columns)(const void* elements, const void* operation, std::int64_t rows, std::int64_t columns,
                        void* out);

  std::int64_t column_bytes;
  bool folds;  // whether several columns may be merged into one, in any order
  void (*panel_start)(Panel& panel, std::int64_t columns);
  void (*panel_rows)(Panel& panel, const void* const* rows, int count, std::int64_t columns, std::int64_t position);
  void (*panel_flush)(Panel& panel, std::int64_t columns, bool last);
  void (*panel_merge)(Panel& panel, std::int64_t to, const Panel& following, std::int64_t from, std::int64_t columns);
  void (*panel_finish)(const Panel& panel, std::int64_t columns, const void* operation, std::int64_t count, void* out);
};

/// The kernels of a fold: their static members.
template <class Fold>
struct LaneFold;

template <class Kernels, class Operation, class Out>
[[nodiscard]] constexpr decltype(Reducer::short_rows) short_rows_of() noexcept {
  if constexpr (requires { Kernels::template short_rows<Operation, Out>; })
    return Kernels::template short_rows<Operation, Out>;
  else return nullptr;
}
template <class Kernels, class Operation, class Out>
[[nodiscard]] constexpr decltype(Reducer::short_columns) short_columns_of() noexcept {
  if constexpr (requires { Kernels::template short_columns<Operation, Out>; })
    return Kernels::template short_columns<Operation, Out>;
  else return nullptr;
}

/// The fold of an operation over elements of type `T`.
template <class Operation, Element T>
using fold_of = typename Operation::template Fold<reduction::read_t<T>>;

/// The table of an operation of plan/reduction.hpp for elements of type `T`. A function, so that kernels are compiled
/// where it is.
template <class Operation, Element T>
[[nodiscard]] const Reducer& reducer(Backend) {
  using Kernels = LaneFold<fold_of<Operation, T>>;
  using Out = typename Operation::template result<T>;
  static constexpr Reducer table = {
      .element_size = Kernels::element_size,
      .result_size = sizeof(Out),
      .transpose = transpose_elements<Kernels::element_size>,
      .copy_results = strided_copy<sizeof(Out)>,
      .state_bytes = Kernels::state_bytes,
      .start = Kernels::start,
      .row = Kernels::row,
      .merge = Kernels::merge,
      .finish = Kernels::template finish<Operation, Out>,
      .rows = Kernels::template rows<Operation, Out>,
      .short_rows = short_rows_of<Kernels, Operation, Out>(),
      .short_columns = short_columns_of<Kernels, Operation, Out>(),
      .column_bytes = Kernels::column_bytes,
      .folds = Kernels::folds,
      .panel_start = Kernels::panel_start,
      .panel_rows = Kernels::panel_rows,
      .panel_flush = Kernels::panel_flush,
      .panel_merge = Kernels::panel_merge,
      .panel_finish = Kernels::template panel_finish<Operation, Out>,
  };
  return table;
}

/// The largest `Reducer::state_bytes`.
inline constexpr std::int64_t most_state_bytes = 256;

}  // namespace situ::internal::inline SITU_SETTINGS::cpu

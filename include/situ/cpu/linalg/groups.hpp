// SPDX-License-Identifier: Apache-2.0
// Groups of small matrices: a register holds one element of several of them. Loads and stores of groups.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/transpose.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// The most rows. For larger matrices, Eigen's vectorization within a matrix fills registers as well: with 16-byte
/// registers, a loop over Eigen's LU takes 6.9, 4.6, 2.3, 2.4, 1.6 and 1.2 times as long for n = 3, 4, 8, 9, 12 and 16;
/// with 64-byte ones, 11 (n = 3), 4.5 (8), 3.1 (16) and 1.7 (24), and over its Cholesky factorization 10, 3, 2.4 and
/// 1.1, and 1.6 for 32.
inline constexpr std::int64_t most_rows_side_by_side = vector_bytes > 16 ? 32 : 16;
/// The same for systems, and for their right-hand sides, which also need space.
inline constexpr std::int64_t most_rows_of_systems_side_by_side = vector_bytes > 16 ? 24 : 16;

template <class T>
using Group = Lanes<T, vector_bytes / static_cast<int>(sizeof(T))>;
/// The same without operators of our own, each of which is several function calls to compile.
template <class T>
using GroupRegister = typename Group<T>::Register;

/// The element type of a register of either kind.
template <class V>
[[nodiscard, SITU_INLINE]] inline auto& register_of(V& x) {
  if constexpr (requires { x.part[0]; }) return x.part[0];
  else return x;
}

/// Whether a lane is not 0.
template <class V>
[[nodiscard]] bool any_lane(const V& x) {
  bool any = false;
  for (int lane = 0; lane < V::count; ++lane) any |= x[lane] != lane_element_t<V>(0);
  return any;
}

/// `f(n)`, where 2, 3 and 4 are passed as types: these are compiled separately, without loops.
template <class F>
decltype(auto) with_extent(std::int64_t n, const F& f) {
  switch (n) {
    case 2:
      return f(std::integral_constant<std::int64_t, 2>{});
    case 3:
      return f(std::integral_constant<std::int64_t, 3>{});
    case 4:
      return f(std::integral_constant<std::int64_t, 4>{});
    default:
      return f(n);
  }
}

/// Storage for `rows` x `columns` registers: inside the object if the size is a constant, or is small enough for
/// matrices of 8 rows with as many right-hand sides; otherwise on the heap, because 32 rows take 64 KiB, and a thread's
/// stack may be only 128 KiB.
template <class V, class Rows, class Columns>
class GroupRoom {
 public:
  GroupRoom(std::int64_t rows, std::int64_t columns)
      : more_(rows * columns > few ? new V[static_cast<std::size_t>(rows * columns)] : nullptr) {}
  GroupRoom(const GroupRoom&) = delete;
  GroupRoom& operator=(const GroupRoom&) = delete;
  ~GroupRoom() { delete[] more_; }

  [[nodiscard]] V* elements() { return more_ != nullptr ? more_ : few_; }

 private:
  static constexpr std::int64_t few = 8 * 16;
  V few_[std::size_t{few}];
  V* more_;  // not a std::unique_ptr: <memory> takes longer to compile than this
};
template <class V, std::int64_t rows, std::int64_t columns>
class GroupRoom<V, std::integral_constant<std::int64_t, rows>, std::integral_constant<std::int64_t, columns>> {
 public:
  GroupRoom(std::int64_t, std::int64_t) {}
  [[nodiscard]] V* elements() { return all_; }

 private:
  V all_[static_cast<std::size_t>(rows * columns)];
};

/// Which register holds an element of a matrix, for elements in memory order.
class GroupPlace {
 public:
  /// `inner` elements are `step` registers apart, and runs of them `outer` registers.
  GroupPlace(std::int64_t inner, std::int64_t step, std::int64_t outer) : inner_(inner), step_(step), outer_(outer) {}

  void move_to(std::int64_t element) {
    left_ = inner_ - element % inner_;
    at_ = element / inner_ * outer_ + element % inner_ * step_;
  }
  [[nodiscard, SITU_INLINE]] std::int64_t next() {
    const std::int64_t at = at_;
    at_ += step_;
    if (--left_ == 0) {
      left_ = inner_;
      at_ += outer_ - inner_ * step_;
    }
    return at;
  }

 private:
  std::int64_t inner_, step_, outer_;
  std::int64_t left_ = 0, at_ = 0;
};

/// `f(element, count)` for the blocks of `lanes` elements that cover `size`; the last begins early if needed.
template <class F>
[[SITU_INLINE]] inline void for_blocks_of_elements(std::int64_t size, std::int64_t lanes, const F& f) {
  const std::int64_t count = std::min(size, lanes);
  for (std::int64_t at = 0; at < size; at += lanes) f(std::min(at, size - count), count);
}

/// The transpose of a block, a separate function to save compile time: every matrix size that the compiler knows has
/// three of these in each operation.
template <class Register>
void transpose_registers(Register* block) {
  native::transpose_stages<1>(block);
}

/// The matrices of a group, one per lane, in rows of `width` registers. After the last matrix, the last is repeated.
/// Contiguous ones are loaded in blocks that are transposed in registers: with loads element by element, matrix by
/// matrix, or by the processor's gather, solving 10^4 systems of 8 x 8 takes 1.8 and 1.2 times as long. For less than a
/// quarter of a register the reverse is true.
template <class T, class V, class Rows, class Columns>
[[SITU_INLINE]] inline void load_group(const program::Matrices<T>& a, Rows rows, Columns columns, std::int64_t group,
                                       V* to, std::int64_t width) {
  using Register = GroupRegister<T>;
  constexpr int lanes = Group<T>::count;
  const std::int64_t size = rows * columns;
  const std::int64_t first = group * lanes;
  const bool by_rows = a.column == 1 && (a.row == columns || rows == 1);
  const bool by_columns = a.row == 1 && (a.column == rows || columns == 1);
  // Blocks that are larger than a matrix also read what follows it.
  const bool readable = first + lanes <= a.count && 4 * size > lanes &&
                        (size >= lanes || (first + lanes - 1) * a.batch + lanes <= (a.count - 1) * a.batch + size);
  if ((by_rows || by_columns) && readable) {
    GroupPlace place = by_rows ? GroupPlace(columns, 1, width) : GroupPlace(rows, width, 1);
    for_blocks_of_elements(size, lanes, [&](std::int64_t element, std::int64_t count) {
      Register block[std::size_t{lanes}];
      const T* const from = a.data + first * a.batch + element;
      for (int lane = 0; lane < lanes; ++lane) __builtin_memcpy(&block[lane], from + lane * a.batch, sizeof(Register));
      transpose_registers(block);
      place.move_to(element);
      for (std::int64_t i = 0; i < count; ++i) register_of(to[place.next()]) = block[i];
    });
    return;
  }
  for (int lane = 0; lane < lanes; ++lane) {
    const T* const from = a.data + std::min(first + lane, a.count - 1) * a.batch;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) register_of(to[i * width + j])[lane] = from[i * a.row + j * a.column];
    }
  }
}

/// Writes `rows` x `columns` of rows of `width` registers as the results of those of `count` matrices that are in the
/// group.
template <class T, class V, class Rows, class Columns>
[[SITU_INLINE]] inline void store_group(const V* from, std::int64_t width, Rows rows, Columns columns,
                                        std::int64_t group, std::int64_t count, T* out) {
  using Register = GroupRegister<T>;
  constexpr int lanes = Group<T>::count;
  const std::int64_t first = group * lanes;
  const auto valid = static_cast<int>(std::min<std::int64_t>(lanes, count - first));
  const std::int64_t size = rows * columns;
  T* const to = out + first * size;
  if (valid == lanes && 4 * size > lanes) {
    T aside[std::size_t{lanes * lanes}];  // a block extends beyond a smaller matrix
    T* const all = size < lanes ? aside : to;
    GroupPlace place(columns, 1, width);
    for_blocks_of_elements(size, lanes, [&](std::int64_t element, std::int64_t known) {
      Register block[std::size_t{lanes}]{};
      place.move_to(element);
      for (std::int64_t i = 0; i < known; ++i) block[i] = register_of(from[place.next()]);
      transpose_registers(block);
      for (int lane = 0; lane < lanes; ++lane) {
        __builtin_memcpy(all + lane * size + element, &block[lane], sizeof(Register));
      }
    });
    if (size < lanes) std::copy_n(aside, size * lanes, to);
    return;
  }
  for (int lane = 0; lane < valid; ++lane) {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        to[lane * size + i * columns + j] = register_of(from[i * width + j])[lane];
      }
    }
  }
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail

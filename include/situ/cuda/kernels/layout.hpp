// SPDX-License-Identifier: Apache-2.0
// The layout of the operands of a kernel: their axes are merged, ordered and cut on the host, and an index is taken
// apart in the kernel by multiplications. No template on the expression: every kernel shares this.
#pragma once

#include <situ/core/config.hpp>
#include <situ/core/function_ref.hpp>
#include <situ/core/shape.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/divider.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/program.hpp>

#if defined(SITU_CUDA)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace situ::internal::cuda {

/// Whether an address is a multiple of `bytes`, or of 16 if that is less: what moving `bytes` at once needs.
[[nodiscard]] inline bool is_aligned_to(const void* data, int bytes) noexcept {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<unsigned>(bytes < 16 ? bytes : 16) == 0;
}

/// Whether the destination is one run of adjacent elements and every operand lies as it does: the common case, found
/// out without an `OperandLayout`.
[[nodiscard]] inline bool all_row_major(std::span<const program::Operand> operands, const program::Destination& to) {
  if (!is_row_major(to.shape, to.strides)) return false;
  for (const program::Operand& operand : operands) {
    for (int axis = 0; axis < to.shape.rank(); ++axis) {
      const auto i = static_cast<std::size_t>(axis);
      if (operand.strides[i] != to.strides[i] && to.shape[axis] != 1) return false;
    }
  }
  return true;
}

/// How the operands of a kernel lie. Made on the stack for each operation.
class OperandLayout : public program::Axes<> {
 public:
  using program::Axes<>::Axes;

  /// Of the leaves of an expression and, as the last operand, the destination. The elements are counted in the order in
  /// which they lie in the destination.
  OperandLayout(std::span<const program::Operand> leaves, const program::Destination& to)
      : Axes(static_cast<int>(leaves.size()) + 1) {
    const int last = operands() - 1;
    for (int axis = 0; axis < to.shape.rank(); ++axis) {
      append(to.shape[axis], [&](int i) { return (i == last ? to.strides : leaves[index(i)].strides)[index(axis)]; });
    }
    order_by(last);
  }

  /// Whether every operand is one run of adjacent elements.
  [[nodiscard]] bool flat() const noexcept {
    if (rank_ != 1) return false;
    for (int i = 0; i < operands(); ++i) {
      if (stride(0, i) != 1) return false;
    }
    return true;
  }

  /// Whether `vector` elements that follow each other in the innermost dimension are adjacent, or one and the same, in
  /// each operand, and begin at a multiple of `vector` from the operand's first element.
  [[nodiscard]] bool vectors(int vector) const noexcept {
    if (extents_[index(rank_ - 1)] % vector != 0) return false;
    for (int i = 0; i < operands(); ++i) {
      const std::int64_t inner = stride(rank_ - 1, i);
      if (inner != 0 && inner != 1) return false;
      for (int axis = 0; inner == 1 && axis + 1 < rank_; ++axis) {
        if (stride(axis, i) % vector != 0) return false;
      }
    }
    return true;
  }

  /// Whether the number of elements, and the distance of each from the first, are below 2^31.
  [[nodiscard]] bool fits_32_bits() const noexcept {
    constexpr std::int64_t limit = std::int64_t{1} << 31;
    std::int64_t count = 1;
    for (int axis = 0; axis < rank_; ++axis) {
      if (extent(axis) >= limit) return false;
      count *= extent(axis);
      if (count >= limit) return false;
    }
    for (int i = 0; i < operands(); ++i) {
      std::int64_t below = 0;
      std::int64_t above = 0;
      for (int axis = 0; axis < rank_; ++axis) {
        const std::int64_t reach = (extent(axis) - 1) * stride(axis, i);
        (reach < 0 ? below : above) += reach;
      }
      if (below <= -limit || above >= limit) return false;
    }
    return true;
  }

  /// Calls `f(part)` for parts that fit in 32 bits, so that kernels with 64-bit offsets are never compiled.
  void for_each_part(FunctionRef<void(const OperandLayout&)> f) {
    if (fits_32_bits()) return f(*this);
    OperandLayout rest = split();
    for_each_part(f);
    rest.for_each_part(f);
  }

  /// Cuts in two the dimension along which some operand reaches farthest, so that cutting ends with a layout that fits
  /// in 32 bits: this keeps the first part, and the other is returned. Vectors of up to 16 elements are left whole, and
  /// what is aligned for them stays so.
  [[nodiscard]] OperandLayout split() {
    int longest = 0;
    std::int64_t farthest = 0;
    for (int axis = 0; axis < rank_; ++axis) {
      std::int64_t reach = extent(axis) - 1;
      for (int i = 0; i < operands(); ++i) {
        const std::int64_t step = stride(axis, i);
        const std::int64_t distance = (extent(axis) - 1) * (step < 0 ? -step : step);
        reach = distance > reach ? distance : reach;
      }
      if (reach > farthest) {
        farthest = reach;
        longest = axis;
      }
    }
    const std::int64_t whole = extent(longest);
    const std::int64_t first = whole >= 32 ? whole / 32 * 16 : whole / 2;
    OperandLayout rest = *this;
    extents_[index(longest)] = first;
    rest.extents_[index(longest)] = whole - first;
    for (int i = 0; i < operands(); ++i) rest.origins_[index(i)] += first * stride(longest, i);
    return rest;
  }

  /// Says that every operand begins at its address: after the addresses were moved by the origins.
  void begin_here() noexcept {
    for (int i = 0; i < operands(); ++i) origins_[index(i)] = 0;
  }

  /// Takes `wide` adjacent elements of the innermost dimension for one, in every count and distance. The layout has
  /// vectors of `wide`, all operands are adjacent along that dimension, and begin at their addresses.
  void widen(int wide) noexcept {
    for (int i = 0; i < operands(); ++i) {
      for (int axis = 0; axis + 1 < rank_; ++axis) at(axis, i) /= wide;
    }
    extents_[index(rank_ - 1)] /= wide;
    if (extents_[index(rank_ - 1)] == 1 && rank_ > 1) --rank_;
  }

  /// Puts the elements in the order of square tiles, where an operand's neighbours lie along another dimension than the
  /// destination's: then a block of threads uses all of each line of memory that it reads. `edge` elements each way;
  /// nothing happens where the extents are no multiples of it.
  void tile(int edge) noexcept {
    const int inner = rank_ - 1;
    if (rank_ < 2 || rank_ + 2 > max_rank || extent(inner) % edge != 0) return;
    for (int i = 0; i < operands(); ++i) {
      if (stride(inner, i) >= -1 && stride(inner, i) <= 1) continue;
      for (int axis = 0; axis < inner; ++axis) {
        if ((stride(axis, i) != 1 && stride(axis, i) != -1) || extent(axis) % edge != 0) continue;
        insert_tile_axes(axis, edge);
        return;
      }
    }
  }

 private:
  /// The last dimension and `axis` are walked tile by tile; two new dimensions, at the end, are those within a tile.
  void insert_tile_axes(int axis, int edge) noexcept {
    const int inner = rank_ - 1;
    for (const int whole : {axis, inner}) {
      extents_[index(whole)] /= edge;
      extents_[index(rank_)] = edge;
      for (int i = 0; i < operands(); ++i) {
        at(rank_, i) = at(whole, i);
        at(whole, i) *= edge;
      }
      ++rank_;
    }
  }
};

namespace detail {

/// Writes the extents and the strides of `operands` operands, innermost axis first; a bit for each operand that is
/// adjacent along it. One function for all kernels.
template <class Index, std::size_t Any>
[[gnu::noinline]] std::uint64_t take_axes(const program::Axes<Any>& axes, int operands, Divider<Index>* extents,
                                          Index* strides) {
  std::uint64_t adjacent = 0;
  for (int axis = axes.rank() - 1; axis >= 0; --axis) {
    *extents++ = Divider<Index>(static_cast<Index>(std::max<std::int64_t>(axes.extent(axis), 1)));
    for (int i = 0; i < operands; ++i) *strides++ = static_cast<Index>(axes.stride(axis, i));
  }
  for (int i = 0; i < operands; ++i) {
    if (axes.stride(axes.rank() - 1, i) == 1) adjacent |= std::uint64_t{1} << i;
  }
  return adjacent;
}

}  // namespace detail

/// The strides of `Operands` operands as a kernel reads them, innermost dimension first. `Index` is int32_t or int64_t.
template <class Index, int Operands>
struct StridedIndex {
  struct Offsets {
    Index offset[std::size_t{Operands > 0 ? Operands : 1}];
    [[nodiscard]] constexpr Index operator[](int operand) const { return offset[operand]; }
  };

  StridedIndex() = default;  // of no elements
  /// Of axes with at least as many operands, and origins of 0; of no elements no place is asked for.
  template <std::size_t Any>
  explicit StridedIndex(const program::Axes<Any>& axes) : rank(axes.rank()) {
    adjacent = detail::take_axes(axes, Operands, extents, &strides[0][0]);
  }

  /// Where element `index`, in row-major order, is in each operand.
  [[nodiscard, SITU_INLINE]] constexpr Offsets locate(Index index) const {
    Offsets result{};
    kernel::rolled(0, rank - 1, 1, [&](int axis) { walk(axis, index, result); });
    for (int i = 0; i < Operands; ++i) result.offset[i] += index * strides[rank - 1][i];
    return result;
  }
  /// The same for several, whose multiplications do not wait for each other.
  template <std::size_t Size>
  SITU_DEVICE void locate(Index (&index)[Size], Offsets (&result)[Size]) const {
    kernel::unrolled<int{Size}>([&](int n) { result[n] = Offsets{}; });
    kernel::rolled(0, rank - 1, 1, [&](int axis) {
      kernel::unrolled<int{Size}>([&](int n) { walk(axis, index[n], result[n]); });
    });
    kernel::unrolled<int{Size}>([&](int n) {
      for (int i = 0; i < Operands; ++i) result[n].offset[i] += index[n] * strides[rank - 1][i];
    });
  }

  /// Whether elements that follow each other in the innermost dimension are adjacent; else, in a layout that has
  /// vectors, they are one and the same.
  [[nodiscard]] SITU_DEVICE bool is_adjacent(int operand) const { return (adjacent >> operand & 1) != 0; }

  int rank = 1;
  std::uint64_t adjacent = 0;
  Divider<Index> extents[max_rank];
  Index strides[max_rank][std::size_t{Operands > 0 ? Operands : 1}] = {};

 private:
  /// Along an axis: what of `index` is left for the axes outside of it.
  [[SITU_INLINE]] constexpr void walk(int axis, Index& index, Offsets& result) const {
    const Index quotient = extents[axis].quotient(index);
    const Index position = index - quotient * static_cast<Index>(extents[axis].divisor);
    for (int i = 0; i < Operands; ++i) result.offset[i] += position * strides[axis][i];
    index = quotient;
  }
};

}  // namespace situ::internal::cuda

#endif

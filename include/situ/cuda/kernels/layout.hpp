// SPDX-License-Identifier: Apache-2.0
// The layout of the operands of a kernel: the host merges, orders and splits their axes, and the kernel unravels an
// index by multiplications. Not a template on the expression: every kernel shares this.
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

/// Whether an address is a multiple of `bytes`, or of 16 if that is less, as needed to move `bytes` at once.
[[nodiscard]] inline bool is_aligned_to(const void* data, int bytes) noexcept {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<unsigned>(bytes < 16 ? bytes : 16) == 0;
}

/// Whether the destination is one run of adjacent elements and every operand has the same layout: the common case,
/// detected without an `OperandLayout`.
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

/// The layout of a kernel's operands. Created on the stack for each operation.
class OperandLayout : public program::Axes<> {
 public:
  using program::Axes<>::Axes;

  /// For the leaves of an expression and, as the last operand, the destination. The elements are counted in the memory
  /// order of the destination.
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

  /// Whether groups of `vector` consecutive elements in the innermost dimension are adjacent, or all the same element,
  /// in each operand, and begin at a multiple of `vector` from the operand's first element.
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

  /// Calls `f(part)` for parts that fit in 32 bits, so that kernels with 64-bit offsets need not be compiled.
  void for_each_part(FunctionRef<void(const OperandLayout&)> f) {
    if (fits_32_bits()) return f(*this);
    OperandLayout rest = split();
    for_each_part(f);
    rest.for_each_part(f);
  }

  /// Splits the dimension along which some operand extends farthest, so that repeated splits end with a layout that
  /// fits in 32 bits: this keeps the first part, and returns the other. Vectors of up to 16 elements are not split, and
  /// their alignment is kept.
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

  /// Resets the origins to 0, after the addresses were moved by them.
  void begin_here() noexcept {
    for (int i = 0; i < operands(); ++i) origins_[index(i)] = 0;
  }

  /// Treats `wide` adjacent elements of the innermost dimension as one, in every count and distance. The layout must
  /// have vectors of `wide`, and all operands must be adjacent along that dimension and begin at their addresses.
  void widen(int wide) noexcept {
    for (int i = 0; i < operands(); ++i) {
      for (int axis = 0; axis + 1 < rank_; ++axis) at(axis, i) /= wide;
    }
    extents_[index(rank_ - 1)] /= wide;
    if (extents_[index(rank_ - 1)] == 1 && rank_ > 1) --rank_;
  }

  /// Reorders the elements into square tiles if an operand is adjacent along another dimension than the destination:
  /// then a block of threads uses every cache line that it reads completely. `edge` elements in each direction; does
  /// nothing if the extents are not multiples of it.
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
  /// Iterates over the last dimension and `axis` by tiles; two new dimensions, at the end, are those within a tile.
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

/// Writes the extents and the strides of `operands` operands, innermost axis first, and a bit for each operand that is
/// adjacent along that axis. One function for all kernels.
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

/// The strides of `Operands` operands in the form for kernels, innermost dimension first. `Index` is int32_t or
/// int64_t.
template <class Index, int Operands>
struct StridedIndex {
  struct Offsets {
    Index offset[std::size_t{Operands > 0 ? Operands : 1}];
    [[nodiscard]] constexpr Index operator[](int operand) const { return offset[operand]; }
  };

  StridedIndex() = default;  // for no elements
  /// For axes with at least as many operands, and origins of 0; not queried if there are no elements.
  template <std::size_t Any>
  explicit StridedIndex(const program::Axes<Any>& axes) : rank(axes.rank()) {
    adjacent = detail::take_axes(axes, Operands, extents, &strides[0][0]);
  }

  /// The offset of element `index`, in row-major order, in each operand.
  [[nodiscard, SITU_INLINE]] constexpr Offsets locate(Index index) const {
    Offsets result{};
    kernel::rolled(0, rank - 1, 1, [&](int axis) { walk(axis, index, result); });
    for (int i = 0; i < Operands; ++i) result.offset[i] += index * strides[rank - 1][i];
    return result;
  }
  /// The same for several indices, whose multiplications are independent.
  template <std::size_t Size>
  SITU_DEVICE void locate(Index (&index)[Size], Offsets (&result)[Size]) const {
    kernel::unrolled<int{Size}>([&](int n) { result[n] = Offsets{}; });
    kernel::rolled(0, rank - 1, 1,
                   [&](int axis) { kernel::unrolled<int{Size}>([&](int n) { walk(axis, index[n], result[n]); }); });
    kernel::unrolled<int{Size}>([&](int n) {
      for (int i = 0; i < Operands; ++i) result[n].offset[i] += index[n] * strides[rank - 1][i];
    });
  }

  /// Whether consecutive elements in the innermost dimension are adjacent; otherwise, in a layout with vectors, they
  /// are all the same element.
  [[nodiscard]] SITU_DEVICE bool is_adjacent(int operand) const { return (adjacent >> operand & 1) != 0; }

  int rank = 1;
  std::uint64_t adjacent = 0;
  Divider<Index> extents[max_rank];
  Index strides[max_rank][std::size_t{Operands > 0 ? Operands : 1}] = {};

 private:
  /// One axis: leaves the rest of `index` for the outer axes.
  [[SITU_INLINE]] constexpr void walk(int axis, Index& index, Offsets& result) const {
    const Index quotient = extents[axis].quotient(index);
    const Index position = index - quotient * static_cast<Index>(extents[axis].divisor);
    for (int i = 0; i < Operands; ++i) result.offset[i] += position * strides[axis][i];
    index = quotient;
  }
};

}  // namespace situ::internal::cuda

#endif

// SPDX-License-Identifier: Apache-2.0
// Extents of a tensor, and the arithmetic of shapes: counting, strides, axes.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/error.hpp>
#include <situ/core/extents.hpp>

namespace situ {

/// Distances between neighbors along each axis, in elements.
using Strides = std::array<std::int64_t, internal::max_rank>;

namespace internal {

class WantedShape;

/// Copies at least the first `rank` extents or strides, 16 bytes at a time. Expressions are made of copies of copies,
/// so these loads follow their stores closely. Store-to-load forwarding then needs a single store that is no smaller
/// than the load and does not cross a cache line, as stores of larger registers often do.
[[SITU_INLINE]] constexpr void copy_axes(const Strides& from, int rank, Strides& to) noexcept {
  if (std::is_constant_evaluated()) {
    to = from;
    return;
  }
  constexpr std::size_t pair = 2, bytes = pair * sizeof(std::int64_t);
  static_assert(max_rank % pair == 0);
  __builtin_memcpy(&to[0], &from[0], bytes);
  if (rank <= static_cast<int>(pair)) return;
    // gcc does not see that a value with few axes here had as few where it was made.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
  for (std::size_t i = pair; i < max_rank; i += pair) __builtin_memcpy(&to[i], &from[i], bytes);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
}

/// An integer of any type in the braces of a shape, where a plain `std::int64_t` would cause a warning for `size_t`.
struct Extent {
  std::int64_t value;

  /// Throws `ShapeError` for an unsigned number that does not fit in a signed 64-bit integer.
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
  constexpr Extent(Integer integer) : value(static_cast<std::int64_t>(integer)) {
    if constexpr (std::is_unsigned_v<Integer>) {
      if (value < 0) fail(std::to_string(integer));
    }
  }
  /// A number with a fraction, or a `bool`: does not compile.
  template <class NotAnInteger>
    requires(std::floating_point<NotAnInteger> || std::same_as<NotAnInteger, bool>)
  Extent(NotAnInteger) = delete;

  [[noreturn]] static void fail(const std::string& integer) {
    throw ShapeError("shape: an extent of " + integer +
                     " does not fit in 64 bits with a sign; is it an unsigned difference below 0?");
  }
};

/// A vector, array or span of integers, but not a tensor or text.
template <class R>
concept ExtentRange = requires(const R& range) {
  range.begin();
  range.end();
  range.size();
  requires std::integral<std::remove_cvref_t<decltype(*range.begin())>>;
  requires !std::same_as<std::remove_cvref_t<decltype(*range.begin())>, bool>;
  requires !std::same_as<std::remove_cvref_t<decltype(*range.begin())>, char>;
} && !requires(const R& range) { range.shape(); };

}  // namespace internal

/// The extents of a tensor, outermost first: up to `max_rank` non-negative 64-bit integers. Rank 0 is one element.
///
///     Shape s{2, 3};            // s.rank() == 2, s.count() == 6, s[-1] == 3
///     zeros<float>({v.size(), 2}), zeros<float>(v)      // integers of any type; a vector of them
///
/// Throws `ShapeError` for a negative extent, a rank over `max_rank`, or a count that does not fit in 64 bits. If an
/// extent is 0, the product of the others must fit too, as in NumPy: a reduction, a view or `flatten` may remove the
/// axis of extent 0, and the rest must be a valid shape.
class Shape {
 public:
  constexpr Shape() noexcept : extents_{} {}
  constexpr Shape(const Shape& other) noexcept : rank_(other.rank_) {
    internal::copy_axes(other.extents_, rank_, extents_);
  }
  constexpr Shape& operator=(const Shape&) noexcept = default;

  constexpr Shape(std::initializer_list<internal::Extent> extents) : Shape() {
    if (extents.size() > internal::max_rank) fail_rank(extents.size());
    for (const internal::Extent extent : extents) push_back(extent.value);
    check();
  }

  template <internal::ExtentRange Range>
  constexpr Shape(const Range& extents) : Shape() {
    if (extents.size() > internal::max_rank) fail_rank(extents.size());
    for (const auto extent : extents) push_back(internal::Extent(extent).value);
    check();
  }

  [[nodiscard]] constexpr int rank() const noexcept { return rank_; }

  /// The number of elements: the product of the extents, 1 for rank 0.
  [[nodiscard]] constexpr std::int64_t count() const noexcept {
    std::uint64_t product = 1;  // unsigned: while a shape is built, the product may not fit
    for (const std::int64_t extent : *this) {
      if (extent == 0) return 0;  // (this also keeps compilers from vectorizing a loop of two rounds)
      product *= static_cast<std::uint64_t>(extent);
    }
    return static_cast<std::int64_t>(product);
  }

  /// Checks the extents and returns the number of elements; throws `ShapeError` if they are invalid.
  [[nodiscard]] constexpr std::int64_t checked_count() const {
    std::int64_t product = 1;
    bool empty = false;
    for (const std::int64_t extent : *this) {
      if (extent == 0) empty = true;
      else if (extent < 0 || __builtin_mul_overflow(product, extent, &product)) fail_extents();
    }
    return empty ? 0 : product;
  }

  /// The product of the extents of axes `[first, last)`, 1 for no axes. It fits for the shape of every tensor.
  [[nodiscard]] constexpr std::int64_t count(int first, int last) const noexcept {
    std::uint64_t product = 1;  // unsigned, as above
    for (int axis = first; axis < last; ++axis) product *= static_cast<std::uint64_t>(extents_[index(axis)]);
    return static_cast<std::int64_t>(product);
  }

  /// The extent of an axis; negative axes count from the end. The axis must exist (see `normalize_axis`).
  [[nodiscard]] constexpr std::int64_t operator[](std::int64_t axis) const noexcept {
    SITU_ASSERT(axis >= -rank_ && axis < rank_);
    return extents_[static_cast<std::size_t>(axis < 0 ? axis + rank_ : axis)];
  }

  /// Replaces one extent; for the library's own use while it builds a shape, which it then hands to `checked()`.
  constexpr void set(int axis, std::int64_t extent) noexcept {
    SITU_ASSERT(axis >= 0 && axis < rank_);
    extents_[index(axis)] = extent;
  }

  /// Appends an axis; throws `ShapeError` beyond `max_rank`.
  constexpr void push_back(std::int64_t extent) {
    if (rank_ == internal::max_rank) fail_rank(static_cast<std::size_t>(rank_) + 1);
    extents_[index(rank_++)] = extent;
  }

  /// Inserts an axis before `axis`; throws `ShapeError` beyond `max_rank`.
  constexpr void insert(int axis, std::int64_t extent) {
    push_back(extent);
    for (int i = rank_ - 1; i > axis; --i) extents_[index(i)] = extents_[index(i - 1)];
    extents_[index(axis)] = extent;
  }

  /// Removes the axis.
  constexpr void erase(int axis) noexcept {
    for (int i = axis; i + 1 < rank_; ++i) extents_[index(i)] = extents_[index(i + 1)];
    extents_[index(--rank_)] = 0;
  }

  /// Checks the extents and returns the shape itself; throws `ShapeError` if they are invalid.
  constexpr const Shape& checked() const {
    check();
    return *this;
  }

  [[nodiscard]] constexpr const std::int64_t* begin() const noexcept { return extents_.data(); }
  [[nodiscard]] constexpr const std::int64_t* end() const noexcept { return extents_.data() + rank_; }

  /// `(2, 3)`, `(5,)`, `()`, as Python writes it.
  [[nodiscard]] std::string to_string() const {
    std::string text = "(";
    for (int i = 0; i < rank_; ++i) {
      if (i > 0) text += ", ";
      text += std::to_string(extents_[index(i)]);
    }
    return text + (rank_ == 1 ? ",)" : ")");
  }

  friend constexpr bool operator==(const Shape& a, const Shape& b) noexcept {
    if (a.rank_ != b.rank_) return false;
    const std::int64_t* other = b.begin();
    for (const std::int64_t extent : a) {  // no call of memcmp, which costs more than these few extents
      if (extent != *other++) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }

  friend class internal::WantedShape;
  [[noreturn]] static void fail_rank(std::size_t rank) {
    throw ShapeError("shape: " + std::to_string(rank) + " axes; a tensor has at most " +
                     std::to_string(internal::max_rank) + ": merge some with reshape or flatten");
  }

  constexpr void check() const { static_cast<void>(checked_count()); }

  [[noreturn]] void fail_extents() const {
    for (int i = 0; i < rank_; ++i) {
      const std::int64_t extent = extents_[index(i)];
      if (extent >= 0) continue;
      throw ShapeError("shape " + to_string() + ": extent " + std::to_string(extent) + " of axis " + std::to_string(i) +
                       " is negative; extents are 0 or more");
    }
    bool empty = false;
    for (const std::int64_t extent : *this) empty = empty || extent == 0;
    throw ShapeError("shape " + to_string() +
                     (empty ? ": the product of the extents other than 0 does not fit in 64 bits; an operation may "
                              "remove the axis of extent 0"
                            : ": the number of elements does not fit in 64 bits"));
  }

  Strides extents_;  // only the first rank_ are set: a copy need not have the others
  int rank_ = 0;
};

namespace internal {

/// Sets `row_major_strides` in place, for the axes of `shape` only.
constexpr void set_row_major(Strides& strides, const Shape& shape) noexcept {
  std::uint64_t step = 1;  // unsigned, as in count()
  std::int64_t* stride = strides.data() + shape.rank();
  for (const std::int64_t* extent = shape.end(); extent != shape.begin();) {
    *--stride = static_cast<std::int64_t>(step);
    if (*--extent > 1) step *= static_cast<std::uint64_t>(*extent);
  }
}

/// Strides of a tensor stored in row-major order without gaps; axes of extent 1 get the stride they would have.
[[nodiscard]] constexpr Strides row_major_strides(const Shape& shape) noexcept {
  Strides strides{};
  internal::set_row_major(strides, shape);
  return strides;
}

/// Whether the elements are stored in row-major order without gaps. Strides of axes with extent 1 do not matter.
[[nodiscard]] constexpr bool is_row_major(const Shape& shape, const Strides& strides) noexcept {
  std::uint64_t step = 1;  // unsigned, as in count()
  const std::int64_t* stride = strides.data() + shape.rank();
  for (const std::int64_t* extent = shape.end(); extent != shape.begin();) {
    --stride;
    if (*--extent == 0) return true;
    if (*extent != 1) {
      if (static_cast<std::uint64_t>(*stride) != step) return false;
      step *= static_cast<std::uint64_t>(*extent);
    }
  }
  return true;
}

/// Turns an axis in `[-rank, rank)` into one in `[0, rank)`; throws `IndexError` otherwise.
[[nodiscard]] inline int normalize_axis(std::int64_t axis, int rank, const char* operation) {
  if (axis < -rank || axis >= rank) {
    throw IndexError(std::string(operation) + ": axis " + std::to_string(axis) + " is out of range for rank " +
                     std::to_string(rank) +
                     (rank == 0 ? "; a tensor of rank 0 has no axes"
                                : "; axes are " + std::to_string(-rank) + " to " + std::to_string(rank - 1)));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace internal

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// Indexing: the arguments of `x(...)` and `x.at(...)`: integers, `all`, `range`, `newaxis`.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/tensor/layout.hpp>

namespace situ {

/// The type of `all` between the parentheses of an index.
struct All {};

/// Between the parentheses of an index, `all` selects a whole axis (NumPy's `:`): `x(all, 0)`. Called, it is the
/// reduction of `ops/reduce.hpp`: `all(mask)`, `all(mask, 1)`.
///
/// It is one more overload of the reduction's name, and an index takes the function itself. Rejected: an object, whose
/// name is ambiguous in files compiled by nvcc, where CUDA has a function `::all`; functions overload.
[[nodiscard]] constexpr All all(All index) noexcept { return index; }

/// Inserts an axis of extent 1.
struct NewAxis {};
/// The value to write in an index: `x(newaxis, all)`.
inline constexpr NewAxis newaxis{};

/// Selects `start, start + step, ...` up to but excluding `stop`. Negative positions count from the end, and positions
/// out of range are clamped, as in Python's slices; a negative step goes backwards.
struct IndexRange {
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
  std::int64_t start = none;
  std::int64_t stop = none;
  std::int64_t step = 1;
};

/// `range(0, 3)` is NumPy's `0:3`, `range(0, 9, 2)` is `0:9:2`, `range(3, IndexRange::none)` is `3:`, and
/// `range(IndexRange::none, IndexRange::none, -1)` is `::-1`. Throws `IndexError` for a step of 0.
[[nodiscard]] inline IndexRange range(std::int64_t start, std::int64_t stop, std::int64_t step = 1) {
  if (step == 0) throw IndexError("range: a step of 0 never ends; use 1, or -1 to walk backwards");
  return {start, stop, step};
}

/// One entry of an index, of a type that does not need a template.
struct IndexItem {
  enum class Kind { absent, position, whole, slice, inserted };
  Kind kind = Kind::absent;
  IndexRange slice{};  // for a position: its start

  constexpr explicit IndexItem() = default;
  template <std::integral At>
    requires(!std::same_as<At, bool>)
  constexpr IndexItem(At position) : kind(Kind::position), slice{static_cast<std::int64_t>(position), 0, 1} {}
  constexpr IndexItem(IndexRange r) : kind(Kind::slice), slice(r) {}
  constexpr IndexItem(NewAxis) : kind(Kind::inserted) {}
  constexpr IndexItem(All) : kind(Kind::whole) {}
  constexpr IndexItem(All (*)(All)) : kind(Kind::whole) {}  // `all`
  IndexItem(std::nullptr_t) = delete;
};

namespace internal {

/// Pointers to the items of one index, null after the last: at most every axis and as many new ones.
using IndexItems = std::array<const IndexItem*, 2 * max_rank>;

}  // namespace internal

/// An integer index; as many of them as the rank read or write one element.
template <class At>
concept Position = std::integral<std::remove_cvref_t<At>> && !std::same_as<std::remove_cvref_t<At>, bool>;

namespace internal {

inline std::int64_t checked_position(std::int64_t position, std::int64_t extent, int axis, const Shape& shape) {
  if (position < -extent || position >= extent) {
    throw IndexError("index " + std::to_string(position) + " is out of range for axis " + std::to_string(axis) +
                     " with extent " + std::to_string(extent) + " of shape " + shape.to_string());
  }
  return position < 0 ? position + extent : position;
}

[[noreturn]] inline void fail_position_count(int given, const Shape& shape) {
  throw IndexError(std::to_string(given) + (given == 1 ? " index" : " indices") + " for a tensor of rank " +
                   std::to_string(shape.rank()) + ", shape " + shape.to_string() +
                   ": one element needs as many as the rank; a row is x(i, all)");
}

/// Default for the items that a call leaves out.
inline constexpr IndexItem absent{};

/// The default item: in `std::vector<IndexItem> items(3)` each is this until set.
inline constexpr IndexItem whole_axis{All{}};

/// The items of a list. Throws `IndexError` for more than an index can have.
[[nodiscard]] inline IndexItems index_items(std::span<const IndexItem> list) {
  IndexItems items;
  if (list.size() > items.size()) {
    throw IndexError(std::to_string(list.size()) + " items in an index; it has at most " +
                     std::to_string(items.size()));
  }
  items.fill(&absent);
  for (std::size_t i = 0; i < list.size(); ++i) {
    items[i] = list[i].kind == IndexItem::Kind::absent ? &whole_axis : &list[i];
  }
  return items;
}

/// The offset of one element. Throws `IndexError` for a wrong number of positions or one out of range; negative
/// positions count from the end.
template <Position... At>
[[nodiscard]] std::int64_t element_offset(const Layout& layout, At... positions) {
  if (layout.shape.rank() != static_cast<int>(sizeof...(At))) {
    internal::fail_position_count(static_cast<int>(sizeof...(At)), layout.shape);
  }
  std::int64_t offset = layout.offset;
  int axis = 0;
  ((offset += layout.stride(axis) *
              internal::checked_position(static_cast<std::int64_t>(positions), layout.shape[axis], axis, layout.shape),
    ++axis),
   ...);
  return offset;
}

/// The view that items select; other axes are whole. Throws `IndexError` for a position out of range or more items than
/// axes, `ShapeError` for a result over `max_rank`.
[[nodiscard]] inline Layout index_layout(const Layout& layout, const IndexItems& items) {
  Layout result;
  result.offset = layout.offset;
  int axis = 0;
  const auto append = [&result](std::int64_t extent, std::int64_t stride) {
    result.shape.push_back(extent);
    result.set_stride(result.shape.rank() - 1, stride);
  };
  for (const IndexItem* const entry : items) {
    const IndexItem& item = *entry;
    if (item.kind == IndexItem::Kind::absent) break;
    if (item.kind == IndexItem::Kind::inserted) {
      append(1, 0);
      continue;
    }
    if (axis == layout.shape.rank()) {
      throw IndexError("too many indices for shape " + layout.shape.to_string() + ": it has " +
                       std::to_string(layout.shape.rank()) + (layout.shape.rank() == 1 ? " axis" : " axes"));
    }
    const std::int64_t extent = layout.shape[axis];
    const std::int64_t stride = layout.stride(axis);
    switch (item.kind) {
      case IndexItem::Kind::position:
        result.offset += stride * internal::checked_position(item.slice.start, extent, axis, layout.shape);
        break;
      case IndexItem::Kind::slice: {
        const std::int64_t step = item.slice.step;
        const std::int64_t low = step > 0 ? 0 : -1;
        const std::int64_t high = step > 0 ? extent : extent - 1;
        const auto clamp = [&](std::int64_t position, std::int64_t otherwise) {
          if (position == IndexRange::none) return otherwise;
          return std::clamp(position < 0 ? position + extent : position, low, high);
        };
        const std::int64_t start = clamp(item.slice.start, step > 0 ? 0 : extent - 1);
        const std::int64_t stop = clamp(item.slice.stop, step > 0 ? extent : -1);
        const std::int64_t distance = step > 0 ? stop - start : start - stop;
        // |step| as unsigned, so that it also exists for the smallest int64
        const std::uint64_t stride_length =
            step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
        const std::int64_t selected =
            distance > 0 ? static_cast<std::int64_t>((static_cast<std::uint64_t>(distance) - 1) / stride_length + 1)
                         : 0;
        if (selected > 0) result.offset += stride * start;
        append(selected, selected > 1 ? stride * step : stride);
        break;
      }
      default:
        append(extent, stride);
    }
    ++axis;
  }
  for (; axis < layout.shape.rank(); ++axis) append(layout.shape[axis], layout.stride(axis));
  return result;
}

/// The items of an index by value, to keep after the call.
class StoredIndex {
 public:
  StoredIndex() = default;
  explicit StoredIndex(const IndexItems& items) noexcept {
    for (std::size_t i = 0; i < items.size() && items[i]->kind != IndexItem::Kind::absent; ++i) items_[i] = *items[i];
  }

  /// The layout of the part that the index selects.
  [[nodiscard]] Layout layout_in(const Layout& whole) const {
    IndexItems items;
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = &items_[i];
    return index_layout(whole, items);
  }

 private:
  std::array<IndexItem, 2 * max_rank> items_;
};

}  // namespace internal

}  // namespace situ

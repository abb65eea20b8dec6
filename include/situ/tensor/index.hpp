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

#include <situ/core/call_site.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/device/placed.hpp>
#include <situ/tensor/diagnostics.hpp>
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

}  // namespace internal

/// Base of classes with parts: `x(all, range(0, 3), newaxis, 2)`, by a member `part(items)` of `Self`.
///
/// The items are separate parameters, because no template parameter could be deduced from `all`, a function.
template <class Self>
class Indexable {
 public:
  /// The part that the items select, other axes whole: an integer selects one position and removes the axis, `all` is
  /// the whole axis, `range(a, b)` a part of it, `newaxis` a new one of extent 1. Throws `IndexError`.
  template <class Me = Self>  // a template, so that the guard of one position on a GPU is preferred
  [[nodiscard]] auto operator()(const IndexItem& a, const IndexItem& b = internal::absent,
                                const IndexItem& c = internal::absent, const IndexItem& d = internal::absent,
                                const IndexItem& e = internal::absent, const IndexItem& f = internal::absent,
                                const IndexItem& g = internal::absent, const IndexItem& h = internal::absent,
                                const IndexItem& i = internal::absent, const IndexItem& j = internal::absent,
                                const IndexItem& k = internal::absent, const IndexItem& l = internal::absent,
                                const IndexItem& m = internal::absent, const IndexItem& n = internal::absent,
                                const IndexItem& o = internal::absent, const IndexItem& p = internal::absent) const {
    return static_cast<const Self&>(*this).part({&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p});
  }

  /// The same with items known only at run time: a vector, array or span of `IndexItem`, each `all` unless set.
  ///
  ///     std::vector<IndexItem> items(3);
  ///     items[axis] = range(0, 3);
  ///     Tensor part = x(items);
  [[nodiscard]] auto operator()(std::span<const IndexItem> items) const {
    return static_cast<const Self&>(*this).part(internal::index_items(items));
  }

  /// The elements, or rows, where a mask is true: `boolean_index` of ops/mask.hpp.
  template <TensorLike Mask, class Me = Self>  // `Self` is not complete yet
    requires std::same_as<value_type_t<Mask>, bool> && std::same_as<device_t<Mask>, typename Me::device_type> &&
             requires(const Me& me, const Mask& mask, CallSite site) { boolean_index(me, mask, site); }
  [[nodiscard]] auto operator()(const Mask& mask, CallSite site = CallSite::here()) const {
    return boolean_index(static_cast<const Self&>(*this), mask, site);
  }
  /// The elements, or parts, at positions, one list for each of the first axes: `integer_index` of ops/coordinates.hpp.
  template <TensorLike First, TensorLike... More, class Me = Self>
    requires IntegerElement<value_type_t<First>> &&
             requires(const Me& me, const First& first, const More&... more) { integer_index(me, first, more...); }
  [[nodiscard]] auto operator()(const First& first, const More&... more) const {
    return integer_index(static_cast<const Self&>(*this), first, more...);
  }
  /// Positions or a mask for the axis behind an item, or before it: ops/positions_beside.hpp.
  template <TensorLike Index, class Me = Self>
    requires requires(const Me& me, const IndexItem& item, const Index& index, CallSite site) {
      index_behind(me, item, index, site);
    }
  [[nodiscard]] auto operator()(const IndexItem& item, const Index& index, CallSite site = CallSite::here()) const {
    return index_behind(static_cast<const Self&>(*this), item, index, site);
  }
  template <TensorLike Index, class Me = Self>
    requires requires(const Me& me, const Index& index, const IndexItem& item, CallSite site) {
      index_before(me, index, item, site);
    }
  [[nodiscard]] auto operator()(const Index& index, const IndexItem& item, CallSite site = CallSite::here()) const {
    return index_before(static_cast<const Self&>(*this), index, item, site);
  }
  template <class Me = Self, class D = typename Me::device_type>
  on_device<D> operator()(typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) const;
  template <class Me = Self, class D = typename Me::device_type>
  on_device<D> operator()(const on_device<D>&,
                          typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) const;
  template <class Me = Self, class D = typename Me::device_type>
  on_device<D> operator()(typename an_index_is_a_mask_or_integers<D>::fix_compare_or_call_cast) const;
  template <class Me = Self, class D = typename Me::device_type>
  on_device<D> operator()(const on_device<D>&,
                          typename an_index_is_a_mask_or_integers<D>::fix_compare_or_call_cast) const;
  template <class Me = Self, class D = typename Me::device_type>
  on_device<D> operator()(
      typename positions_in_parentheses_need_another_header<D>::fix_include_situ_indexing_hpp) const;
  template <class Me = Self, class D = typename Me::device_type>
  on_device<D> operator()(const IndexItem&, typename positions_do_not_stand_behind_all<D>::fix_call_take) const;
  template <class Me = Self, class D = typename Me::device_type>
  on_device<D> operator()(a_spread_value_is_on_no_one_device::fix_call_gather) const;
  const Self& operator[](an_index_is_in_parentheses::fix_write_x_of_0_and_all) const;
};

namespace internal {

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

// SPDX-License-Identifier: Apache-2.0
// Parts of spread values: `x(all, range(0, 3), newaxis, 2)`. The types of the items determine the new number of the
// axis that is cut, along which only `all` is allowed.
#pragma once

#include <concepts>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/tensor/index.hpp>
#include <situ/tensor/layout.hpp>

namespace situ {

namespace internal {

/// The type of `all` in parentheses, which is a function, and the default of each item. So it need not be deduced,
/// which is impossible for an overloaded name; a null pointer marks an omitted item.
using AllItem = All (*)(All);

template <class Item>
concept SpreadIndexItem = std::convertible_to<Item, IndexItem>;

}  // namespace internal

/// `x(0)` of a `Sharded<0>`: "of the axis that is cut an index takes all: fix: call all_gather, or reshard along
/// another axis".
template <int Axis>
struct of_the_axis_that_is_cut_an_index_takes_all {
  struct fix_call_all_gather_or_reshard {
    template <internal::SpreadIndexItem Item>
    fix_call_all_gather_or_reshard(const Item&) = delete;
    fix_call_all_gather_or_reshard(internal::AllItem) = delete;
  };
};

namespace internal {

template <class Item>
inline constexpr bool takes_all = std::same_as<Item, AllItem> || std::same_as<Item, All>;

/// The number of axis `axis` after an index of these items, -1 if the index does not take all of it.
template <class... Item>
[[nodiscard]] consteval int axis_behind_index(int axis) {
  int from = 0, to = 0, result = -1;
  const auto walk = [&](bool inserts, bool whole, bool keeps) {
    if (!inserts && from == axis && whole) result = to;
    from += inserts ? 0 : 1;
    to += inserts || keeps ? 1 : 0;
  };
  (walk(std::same_as<Item, NewAxis>, takes_all<Item>, !Position<Item>), ...);
  return from > axis ? result : to + axis - from;
}

/// The layout of the part; no `type` if an item takes a piece of the axis that is cut.
template <class L, class... Item>
struct IndexedLayout {
  using type = L;
};
template <int Axis, class... Item>
  requires(axis_behind_index<Item...>(Axis) >= 0)
struct IndexedLayout<Sharded<Axis>, Item...> {
  using type = Sharded<axis_behind_index<Item...>(Axis)>;
};
template <int Axis, class... Item>
  requires(axis_behind_index<Item...>(Axis) < 0)
struct IndexedLayout<Sharded<Axis>, Item...> {};

template <class Item>
[[nodiscard]] IndexItem index_item(const Item& item) {
  if constexpr (std::same_as<Item, AllItem>) return item == nullptr ? IndexItem() : IndexItem(All{});
  else return IndexItem(item);
}

/// Base of spread values: indexing. `Self` is complete when an index is used.
template <class Self, class L>
class IndexableSpread {
 public:
  /// The part that the items select; axes without an item are taken whole. See `Indexable`. Throws `IndexError`.
  template <SpreadIndexItem A = AllItem, SpreadIndexItem B = AllItem, SpreadIndexItem C = AllItem,
            SpreadIndexItem D = AllItem, SpreadIndexItem E = AllItem, SpreadIndexItem F = AllItem,
            SpreadIndexItem G = AllItem, SpreadIndexItem H = AllItem>
    requires requires { typename IndexedLayout<L, A, B, C, D, E, F, G, H>::type; }
  [[nodiscard]] auto operator()(A a, B b = {}, C c = {}, D d = {}, E e = {}, F f = {}, G g = {}, H h = {}) const {
    const IndexItem items[] = {index_item(a), index_item(b), index_item(c), index_item(d),
                               index_item(e), index_item(f), index_item(g), index_item(h)};
    return part_of_spread<typename IndexedLayout<L, A, B, C, D, E, F, G, H>::type>(static_cast<const Self&>(*this),
                                                                                   items);
  }
  /// A guard: the first item is converted, so the real one is a better match where it takes the items.
  template <SpreadIndexItem B = AllItem, SpreadIndexItem C = AllItem, SpreadIndexItem D = AllItem,
            SpreadIndexItem E = AllItem, SpreadIndexItem F = AllItem, SpreadIndexItem G = AllItem,
            SpreadIndexItem H = AllItem>
    requires is_sharded<L>
  never_made operator()(
      typename of_the_axis_that_is_cut_an_index_takes_all<sharded_axis<L>>::fix_call_all_gather_or_reshard, B = {},
      C = {}, D = {}, E = {}, F = {}, G = {}, H = {}) const;
  /// ... and of masks.
  never_made operator()(masks_of_spread_values_select_nothing::fix_call_where_or_gather) const;
};

/// ... called by it; found at instantiation, since its definition needs map_parts.hpp.
template <class Result, class X>
[[nodiscard]] auto part_of_spread(const X& x, const IndexItem (&items)[8]);

}  // namespace internal

}  // namespace situ

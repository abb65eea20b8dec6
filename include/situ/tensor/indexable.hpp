// SPDX-License-Identifier: Apache-2.0
// The base of what has parts: `x(...)` by items, masks and lists of positions, and the guards of wrong indices.
#pragma once

#include <concepts>
#include <span>

#include <situ/core/call_site.hpp>
#include <situ/core/dtype.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/device/placed.hpp>
#include <situ/tensor/diagnostics.hpp>
#include <situ/tensor/index.hpp>

namespace situ {

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
  on_device<D> operator()(
      const IndexItem&, typename positions_in_parentheses_need_another_header<D>::fix_include_situ_indexing_hpp) const;
  template <class Me = Self, class D = typename Me::device_type>
  on_device<D> operator()(typename positions_in_parentheses_need_another_header<D>::fix_include_situ_indexing_hpp,
                          const IndexItem&) const;
  template <class Me = Self, class D = typename Me::device_type>
  on_device<D> operator()(
      const on_device<D>&,
      typename positions_in_parentheses_need_another_header<D>::fix_include_situ_indexing_hpp) const;
  template <class Me = Self, class D = typename Me::device_type>
  on_device<D> operator()(const IndexItem&, const IndexItem&,
                          typename positions_in_parentheses_are_first_or_second<D>::fix_call_take) const;
  template <class Me = Self, class D = typename Me::device_type>
  on_device<D> operator()(a_spread_value_is_on_no_one_device::fix_call_gather) const;
  const Self& operator[](an_index_is_in_parentheses::fix_write_x_of_0_and_all) const;
};

}  // namespace situ

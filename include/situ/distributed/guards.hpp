// SPDX-License-Identifier: Apache-2.0
// Reasons why operands of a binary operation do not fit: `Reason` of the guards. Each operation has two guards, one for
// a spread operand on the left, and one for a number or a tensor to the left of a spread operand:
//
//     template <class T, class L, class M>
//     never_made operator*(const spread_over<T, L, M>&,
//                          typename the_operands_do_not_fit<F, spread_over<T, L, M>>::see_Reason);
//     template <class T, class L, class M>
//     never_made operator*(typename the_left_operand_does_not_fit<F, spread_over<T, L, M>>::see_Reason,
//                          const spread_over<T, L, M>&);
#pragma once

#include <concepts>
#include <type_traits>

#include <situ/core/scalar.hpp>
#include <situ/device/placed.hpp>
#include <situ/distributed/algebra.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/operand_diagnostics.hpp>
#include <situ/distributed/spread.hpp>

namespace situ::internal {

/// For two operands in these layouts, over one mesh and of one element type.
template <class Operation, class Left, class Right>
struct LayoutMismatch {
  using type = a_partial_sum_is_not_a_value::fix_call_all_reduce;
};
template <class Operation, int Left, int Right>
struct LayoutMismatch<Operation, Sharded<Left>, Sharded<Right>> {
  using type = typename operands_are_sharded_on_different_axes<Left, Right>::template fix_call_reshard<Left>;
};
template <class Operation, int Axis>
struct LayoutMismatch<Operation, Sharded<Axis>, Local> {
  using type = a_local_value_is_no_part_of_a_whole::fix_say_by_as_what_it_is;
};
template <class Operation, int Axis>
struct LayoutMismatch<Operation, Local, Sharded<Axis>> {
  using type = a_local_value_is_no_part_of_a_whole::fix_say_by_as_what_it_is;
};
template <class Operation>
concept AddsOperands = std::same_as<Operation, functional::Add> || std::same_as<Operation, functional::Subtract>;
template <AddsOperands Operation, SameForAllParts Right>
struct LayoutMismatch<Operation, Partial<>, Right> {
  using type = a_replicated_value_would_be_added_once_per_device::fix_call_all_reduce_first;
};
template <AddsOperands Operation, SameForAllParts Left>
struct LayoutMismatch<Operation, Left, Partial<>> {
  using type = a_replicated_value_would_be_added_once_per_device::fix_call_all_reduce_first;
};
template <>
struct LayoutMismatch<functional::Multiply, Partial<>, Partial<>> {
  using type = the_product_of_sums_is_not_the_sum_of_products::fix_call_all_reduce_first;
};

/// The reason is the first of these that applies: a tensor, other devices, other elements, elements without the
/// operation, layouts.
template <class Operation, SpreadLike Left, SpreadLike Right>
[[nodiscard]] consteval auto reason_of() {
  using T = spread_element_t<Left>;
  if constexpr (!std::same_as<spread_mesh_t<Left>, spread_mesh_t<Right>>) {
    using Reason = spreads_live_on_different_devices<spread_mesh_t<Left>, spread_mesh_t<Right>>;
    return std::type_identity<typename Reason::fix_spread_both_over_the_same>{};
  } else if constexpr (!std::same_as<T, spread_element_t<Right>>) {
    using Reason = elements_of_spreads_differ<T, spread_element_t<Right>>;
    return std::type_identity<typename Reason::template fix_call_cast<T>>{};
  } else if constexpr (!Operation::template accepts<T>) {
    return std::type_identity<typename spreads_have_elements_without_the_operation<Operation, T>::fix_call_cast>{};
  } else {
    return LayoutMismatch<Operation, layout_t<Left>, layout_t<Right>>{};
  }
}
template <class Operation, class T, class Layout, ScalarOperand Number, bool NumberIsLeft>
[[nodiscard]] consteval auto reason_of_number() {
  if constexpr (!Operation::template accepts<T>) {
    return std::type_identity<typename spreads_have_elements_without_the_operation<Operation, T>::fix_call_cast>{};
  } else if constexpr (!WeakScalarFor<Number, T>) {
    using Reason = the_number_does_not_fit_elements_of_the_spread<Number, T>;
    return std::type_identity<typename Reason::fix_cast_one_of_them>{};
  } else if constexpr (NumberIsLeft) {
    return LayoutMismatch<Operation, NoLayout, Layout>{};
  } else {
    return LayoutMismatch<Operation, Layout, NoLayout>{};
  }
}

template <class Operation, class Left, class Right>
struct InPlaceMismatch {};
template <class Operation, class Left, class Right>
struct Mismatch {};
template <class Operation, SpreadLike Left, SpreadLike Right>
struct Mismatch<Operation, Left, Right> : decltype(reason_of<Operation, Left, Right>()) {};
template <class Operation, SpreadLike Left, ScalarOperand Right>
struct Mismatch<Operation, Left, Right>
    : decltype(reason_of_number<Operation, spread_element_t<Left>, layout_t<Left>, Right, false>()) {};
template <class Operation, ScalarOperand Left, SpreadLike Right>
struct Mismatch<Operation, Left, Right>
    : decltype(reason_of_number<Operation, spread_element_t<Right>, layout_t<Right>, Left, true>()) {};
template <class Operation, SpreadLike Left, TensorLike Right>
struct Mismatch<Operation, Left, Right> {
  using type = a_tensor_stands_beside_a_spread_value::fix_call_replicate_or_shard;
};
template <class Operation, TensorLike Left, SpreadLike Right>
struct Mismatch<Operation, Left, Right> {
  using type = a_tensor_stands_beside_a_spread_value::fix_call_replicate_or_shard;
};

/// The reason why `Right` is not accepted in place although the operation accepts both: the layout would change.
template <class Operation, SpreadLike Left, SpreadLike Right>
struct InPlaceMismatch<Operation, Left, Right> : Mismatch<Operation, Left, Right> {};
template <class Operation, SpreadLike Left, SpreadLike Right>
  requires SpreadOperandsOf<Operation, Left, Right>
struct InPlaceMismatch<Operation, Left, Right> {
  using type = typename the_operand_would_change_the_layout<
      layout_t<Left>, elementwise_layout_t<Operation, Left, Right>>::fix_write_z_equals_x_plus_y;
};

}  // namespace situ::internal

// SPDX-License-Identifier: Apache-2.0
// The compile errors of two spread operands that do not fit together, or of a value and the layout it is assigned to.
// The parameter of a guard depends on the operand that stays, and the last name of the message, `Reason`, on both
// (guards.hpp chooses it): g++ and nvcc print it in the first line, clang in its note.
#pragma once

#include <concepts>
#include <type_traits>

#include <situ/core/scalar.hpp>
#include <situ/device/placed.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout.hpp>

namespace situ {

/// `x + tensor`: the tensor is on one device. "fix: call replicate(tensor, devices...), or shard<k>".
struct a_tensor_stands_beside_a_spread_value {
  struct fix_call_replicate_or_shard {
    template <class T, class D>
    fix_call_replicate_or_shard(const placed<T, D>&) = delete;
  };
};
template <class LeftPlaces, class RightPlaces>
struct spreads_live_on_different_devices {
  struct fix_spread_both_over_the_same {};
};
template <class LeftElement, class RightElement>
struct elements_of_spreads_differ {
  template <class To>
  struct fix_call_cast {};
};
/// `exp` of integers, `+` of bool.
template <class Operation, class OperandElement>
struct spreads_have_elements_without_the_operation {
  struct fix_call_cast {};
};
template <class Scalar, class SpreadElement>
struct the_number_does_not_fit_elements_of_the_spread {
  struct fix_cast_one_of_them {};
};
template <int LeftAxis, int RightAxis>
struct operands_are_sharded_on_different_axes {
  template <int To>
  struct fix_call_reshard {};
};
/// `p + r`, `p - 1`: as a term on each device, the replicated value would be summed as well.
struct a_replicated_value_would_be_added_once_per_device {
  struct fix_call_all_reduce_first {};
};
/// `p * q`: the sum of the products is not the product of the sums.
struct the_product_of_sums_is_not_the_sum_of_products {
  struct fix_call_all_reduce_first {};
};
/// `x += y` with a sharded `y` and a replicated `x`.
template <class From, class To>
struct the_operand_would_change_the_layout {
  struct fix_write_z_equals_x_plus_y {};
};

namespace internal {
/// Why `Operation` does not accept these operands; no `type` if that is for another guard to say. Defined in
/// guards.hpp.
template <class Operation, class Left, class Right>
struct Mismatch;
template <class Operation, class Left, class Right>
struct InPlaceMismatch;
}  // namespace internal

/// "the operands do not fit: see Reason", the last name of the message. `Stays` is the left operand, which is spread.
template <class Operation, class Stays>
struct the_operands_do_not_fit {
  struct see_Reason {
    template <class T, class L, class Mesh,
              class Reason = typename internal::Mismatch<Operation, Stays, spread_over<T, L, Mesh>>::type>
    see_Reason(const spread_over<T, L, Mesh>&) = delete;
    template <class T, class D, class Reason = typename internal::Mismatch<Operation, Stays, placed<T, D>>::type>
    see_Reason(const placed<T, D>&) = delete;
    template <internal::ScalarOperand Number,
              class Reason = typename internal::Mismatch<Operation, Stays, Number>::type>
    see_Reason(Number) = delete;
  };
};
/// The same for `x += y`, where `y` may also change the layout of `x`.
template <class Operation, class Stays>
struct the_operand_cannot_be_taken_in_place {
  struct see_Reason {
    template <class T, class L, class Mesh,
              class Reason = typename internal::InPlaceMismatch<Operation, Stays, spread_over<T, L, Mesh>>::type>
    see_Reason(const spread_over<T, L, Mesh>&) = delete;
    template <class T, class D, class Reason = typename internal::Mismatch<Operation, Stays, placed<T, D>>::type>
    see_Reason(const placed<T, D>&) = delete;
    template <internal::ScalarOperand Number,
              class Reason = typename internal::Mismatch<Operation, Stays, Number>::type>
    see_Reason(Number) = delete;
  };
};
/// The same for a number or a tensor to the left of a spread operand.
template <class Operation, class Stays>
struct the_left_operand_does_not_fit {
  struct see_Reason {
    template <class T, class D, class Reason = typename internal::Mismatch<Operation, placed<T, D>, Stays>::type>
    see_Reason(const placed<T, D>&) = delete;
    template <internal::ScalarOperand Number,
              class Reason = typename internal::Mismatch<Operation, Number, Stays>::type>
    see_Reason(Number) = delete;
  };
};

/// `Spread<float, Replicated, ...> r = p;`: "assigning moves no data: fix: call ...".
template <class From, class To>
struct assigning_moves_no_data {
  struct fix_call_all_reduce {};      // from a Partial
  struct fix_call_reduce_scatter {};  // ... to a Sharded
  struct fix_call_all_gather {};      // from a Sharded
  struct fix_call_reshard {};         // ... to one along another axis
  struct fix_call_shard {};           // from a Replicated
  struct fix_call_partial {};         // ... to a Partial
  struct fix_state_it_by_as {};
};

namespace internal {
template <class From, class To>
[[nodiscard]] consteval auto layout_fix() {
  using Text = assigning_moves_no_data<From, To>;
  if constexpr (std::same_as<From, Local> || std::same_as<To, Local>) return typename Text::fix_state_it_by_as{};
  else if constexpr (is_partial<From> && is_sharded<To>) return typename Text::fix_call_reduce_scatter{};
  else if constexpr (is_partial<From>) return typename Text::fix_call_all_reduce{};
  else if constexpr (is_partial<To>) return typename Text::fix_call_partial{};
  else if constexpr (is_sharded<From> && is_sharded<To>) return typename Text::fix_call_reshard{};
  else if constexpr (is_sharded<From>) return typename Text::fix_call_all_gather{};
  else return typename Text::fix_call_shard{};
}
template <class From, class To>
using layout_fix_t = decltype(layout_fix<From, To>());
}  // namespace internal

}  // namespace situ

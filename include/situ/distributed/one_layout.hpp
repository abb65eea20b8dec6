// SPDX-License-Identifier: Apache-2.0
// Reasons why operands that must all be in one layout do not fit: for `concat` and losses.
#pragma once

#include <situ/core/dtype.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/guards.hpp>
#include <situ/distributed/layout.hpp>

namespace situ {

/// A replicated operand beside one that is cut: "fix: call shard<k>(r)", which moves nothing.
struct a_replicated_operand_stands_beside_pieces {
  template <int Axis>
  struct fix_call_shard {};
};

namespace internal {

namespace operation {
/// Base of the guards' names for operations over operands in one layout.
template <class Self>
struct OfOneLayout {
  static constexpr bool wants_one_layout = true;
  template <Element T>
  static constexpr bool accepts = true;
};
}  // namespace operation

template <class Operation>
concept WantsOneLayout = Operation::wants_one_layout;
template <WantsOneLayout Operation, int Axis>
struct LayoutMismatch<Operation, Replicated, Sharded<Axis>> {
  using type = a_replicated_operand_stands_beside_pieces::fix_call_shard<Axis>;
};
template <WantsOneLayout Operation, int Axis>
struct LayoutMismatch<Operation, Sharded<Axis>, Replicated> {
  using type = a_replicated_operand_stands_beside_pieces::fix_call_shard<Axis>;
};
/// Layouts that fit: the mistake is another operand.
template <WantsOneLayout Operation, class L>
  requires(!is_sharded<L>)
struct LayoutMismatch<Operation, L, L> {};
template <WantsOneLayout Operation, int Axis>
struct LayoutMismatch<Operation, Sharded<Axis>, Sharded<Axis>> {};

}  // namespace internal

}  // namespace situ

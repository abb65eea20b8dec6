// SPDX-License-Identifier: Apache-2.0
// The compile errors of spread values: names of deleted conversions, as device/diagnostics.hpp describes.
#pragma once

#include <concepts>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/core/scalar.hpp>
#include <situ/device/placed.hpp>
#include <situ/distributed/layout.hpp>

namespace situ {

template <class T, class Layout, class Mesh>
struct spread_over;

/// "a partial sum is not a value: fix: call all_reduce", or reduce_scatter: each part of a `Partial` is one term.
struct a_partial_sum_is_not_a_value {
  struct fix_call_all_reduce {
    template <class T, ReduceOp Op, class Mesh>
    fix_call_all_reduce(const spread_over<T, Partial<Op>, Mesh>&) = delete;
  };
};

/// "a replicated value is summed already": there is nothing to reduce.
struct a_replicated_value_is_summed_already {
  struct fix_leave_out_the_reduction {
    template <class T, class Mesh>
    fix_leave_out_the_reduction(const spread_over<T, Replicated, Mesh>&) = delete;
  };
};
/// "a sharded value is no sum: fix: call all_gather", which puts pieces together.
struct a_sharded_value_is_no_sum {
  struct fix_call_all_gather {
    template <class T, int Axis, class Mesh>
    fix_call_all_gather(const spread_over<T, Sharded<Axis>, Mesh>&) = delete;
  };
};

}  // namespace situ

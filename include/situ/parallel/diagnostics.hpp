// SPDX-License-Identifier: Apache-2.0
// The compile errors of gradients on several devices: names of deleted conversions, as device/diagnostics.hpp
// describes.
#pragma once

#include <concepts>

#include <situ/device/placed.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/spread.hpp>

namespace situ {

/// "a partial sum is not a parameter: fix: call all_reduce".
struct a_partial_sum_is_not_a_parameter {
  struct fix_call_all_reduce {
    template <class T, ReduceOp Op, class Mesh>
    fix_call_all_reduce(const spread_over<T, Partial<Op>, Mesh>&) = delete;
  };
};

/// "a sharded value is not a loss: fix: call sum or mean", which make a `Partial<>` of it.
struct a_sharded_value_is_not_a_loss {
  struct fix_call_sum_or_mean {
    template <class T, int Axis, class Mesh>
    fix_call_sum_or_mean(const spread_over<T, Sharded<Axis>, Mesh>&) = delete;
  };
};
/// "the devices' own values are not a loss: fix: call as<Partial<>>", which says that the loss is their sum.
struct local_values_are_not_a_loss {
  struct fix_call_as_Partial {
    template <class T, class Mesh>
    fix_call_as_Partial(const spread_over<T, Local, Mesh>&) = delete;
  };
};

class PendingGradients;
class ReducedGradients;
class ScatteredGradients;

/// "this layer takes an input in layout Replicated: fix: call all_gather", of what is in another layout, or a tensor.
template <class Layout>
struct this_layer_takes_an_input_in_layout {
  struct fix_call_all_gather {
    template <class T, int Axis, class Mesh>
    fix_call_all_gather(const spread_over<T, Sharded<Axis>, Mesh>&) = delete;
  };
  struct fix_call_reshard {
    template <class T, int Axis, class Mesh>
      requires(!std::same_as<Layout, Sharded<Axis>>)
    fix_call_reshard(const spread_over<T, Sharded<Axis>, Mesh>&) = delete;
  };
  struct fix_call_shard {
    template <class T, class Mesh>
    fix_call_shard(const spread_over<T, Replicated, Mesh>&) = delete;
    template <class T, class D>
    fix_call_shard(const placed<T, D>&) = delete;
  };
  struct fix_call_reduce_scatter {
    template <class T, class Mesh>
    fix_call_reduce_scatter(const spread_over<T, Partial<>, Mesh>&) = delete;
  };
  struct fix_call_replicate {
    template <class T, class D>
    fix_call_replicate(const placed<T, D>&) = delete;
  };
};

/// `all_reduce(pending)` of one with a name: "these gradients are used up: fix: call std::move".
struct these_gradients_are_used_up {
  struct fix_call_std_move {
    fix_call_std_move(const PendingGradients&) = delete;
  };
};
/// `all_reduce(all_reduce(backward(loss)))`: "these gradients are added up already: fix: leave out all_reduce".
struct these_gradients_are_added_up_already {
  struct fix_leave_out_all_reduce {
    fix_leave_out_all_reduce(const ReducedGradients&) = delete;
    fix_leave_out_all_reduce(const ScatteredGradients&) = delete;
  };
};

/// "these gradients are partial sums: fix: call all_reduce".
struct these_gradients_are_partial_sums {
  struct fix_call_all_reduce {
    fix_call_all_reduce(const PendingGradients&) = delete;
  };
  struct fix_call_reduce_scatter {
    fix_call_reduce_scatter(const PendingGradients&) = delete;
  };
};

/// "these gradients are pieces: fix: call all_reduce", instead of reduce_scatter, for an optimizer with a state on each
/// device.
struct these_gradients_are_pieces {
  struct fix_call_all_reduce {
    fix_call_all_reduce(const ScatteredGradients&) = delete;
  };
};
/// "these gradients are whole: fix: call reduce_scatter", instead of all_reduce, for an optimizer with sharded state.
struct these_gradients_are_whole {
  struct fix_call_reduce_scatter {
    fix_call_reduce_scatter(const ReducedGradients&) = delete;
  };
};

}  // namespace situ

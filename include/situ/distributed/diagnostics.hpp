// SPDX-License-Identifier: Apache-2.0
// The compile errors of spread values: names of deleted conversions, as device/diagnostics.hpp describes. Those of two
// operands are in operand_diagnostics.hpp.
#pragma once

#include <concepts>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/device/placed.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/tensor/fwd.hpp>

namespace situ {

template <class T, class Layout, class Mesh>
struct spread_over;

/// The return type of guards: the code around the call compiles with it, so that there is one error.
using never_made = Spread<float, Replicated, Cpu>;

namespace internal {
/// ... that is not a `Partial`, for guards that find the `Partial` in a later argument.
struct NotPartial {
  template <class T>
    requires(!requires { requires is_partial<typename T::layout_type>; })
  NotPartial(const T&);
};
}  // namespace internal

/// "a partial sum is not a value: fix: call all_reduce", or reduce_scatter: each part of a `Partial` is one term.
struct a_partial_sum_is_not_a_value {
  struct fix_call_all_reduce {
    template <class T, ReduceOp Op, class Mesh>
    fix_call_all_reduce(const spread_over<T, Partial<Op>, Mesh>&) = delete;
    const float* operator()(...) const = delete;
  };
};

/// "a replicated value is summed already: fix: leave out the reduction".
struct a_replicated_value_is_summed_already {
  struct fix_leave_out_the_reduction {
    template <class T, class Mesh>
    fix_leave_out_the_reduction(const spread_over<T, Replicated, Mesh>&) = delete;
  };
};
/// "a sharded value is no sum: fix: call all_gather", which joins the pieces.
struct a_sharded_value_is_no_sum {
  struct fix_call_all_gather {
    template <class T, int Axis, class Mesh>
    fix_call_all_gather(const spread_over<T, Sharded<Axis>, Mesh>&) = delete;
  };
};
/// "a local value is no part of a whole: fix: say by as what it is", as<Layout>(parts...).
struct a_local_value_is_no_part_of_a_whole {
  struct fix_say_by_as_what_it_is {
    template <class T, class Mesh>
    fix_say_by_as_what_it_is(const spread_over<T, Local, Mesh>&) = delete;
  };
};
/// "every device has all of it: fix: leave it out or call shard", shard<k>(r), to cut it.
struct every_device_has_all_of_it {
  struct fix_leave_it_out_or_call_shard {
    template <class T, class Mesh>
    fix_leave_it_out_or_call_shard(const spread_over<T, Replicated, Mesh>&) = delete;
  };
};
/// "elements have no sum: fix: call cast": those of `bool`.
struct elements_have_no_sum {
  struct fix_call_cast {
    template <class T, class Mesh>
      requires(!NumberElement<T>)
    fix_call_cast(const spread_over<T, Partial<ReduceOp::sum>, Mesh>&) = delete;
  };
};

/// "the call names no devices: fix: write them behind the tensor", shard<0>(x, gpu<0>, gpu<1>).
struct the_call_names_no_devices {
  struct fix_write_them_behind_the_tensor {
    template <class T, class D>
    fix_write_them_behind_the_tensor(const placed<T, D>&) = delete;
  };
};
/// `replicate(x, devices...)` of a `Spread`: "the value is spread already: fix: call all_gather or reshard".
struct the_value_is_spread_already {
  struct fix_call_all_gather_or_reshard {
    template <class T, class Layout, class Mesh>
      requires(!internal::is_partial<Layout>)
    fix_call_all_gather_or_reshard(const spread_over<T, Layout, Mesh>&) = delete;
  };
};
/// `gather(x)`: "the call names no device: fix: write it behind the value", gather(x, cpu).
struct the_call_names_no_device {
  struct fix_write_it_behind_the_value {
    template <class T, class Layout, class Mesh>
    fix_write_it_behind_the_value(const spread_over<T, Layout, Mesh>&) = delete;
  };
};
/// "sending would lose the gradient: fix: call no_grad": the operand records it.
struct sending_would_lose_the_gradient {
  struct fix_call_no_grad {
    template <Recorded E>
    fix_call_no_grad(const E&) = delete;
  };
};
/// "element types of the parts differ: fix: call cast<To>(...)". The parts are on several devices, so
/// `element_types_differ` does not fit.
template <class FirstElement>
struct element_types_of_the_parts_differ {
  template <class To>
  struct fix_call_cast {
    template <class Other, class D>
      requires(!std::same_as<FirstElement, Other>)
    fix_call_cast(const placed<Other, D>&) = delete;
  };
};
/// `if (x > 0.f)`: "fix: call any or all, and item"; gather it first if it is cut.
struct a_spread_value_is_no_condition {
  struct fix_call_any_or_all_and_item {};
};
/// `Spread y = net(x);`: "a Spread would lose the gradient: fix: make it a SpreadVariable, or call no_grad".
struct a_Spread_would_lose_the_gradient {
  struct fix_make_it_a_SpreadVariable_or_call_no_grad {};
};
/// `tensor += spread`, also of a part in `update`: "fix: make a new spread value", `w = SpreadVariable(w.value() - d)`.
struct a_tensor_takes_no_spread_value {
  struct fix_make_a_new_spread_value {
    template <class T, class Layout, class Mesh>
    fix_make_a_new_spread_value(const spread_over<T, Layout, Mesh>&) = delete;
  };
};
/// `x(mask)`: how many elements are true differs from device to device. "fix: call where, or gather".
struct masks_of_spread_values_select_nothing {
  struct fix_call_where_or_gather {
    template <class Layout, class Mesh>
    fix_call_where_or_gather(const spread_over<bool, Layout, Mesh>&) = delete;
  };
};
/// `for (auto row : x)`: "a spread value has no rows to walk over: fix: call gather, local or split".
struct a_spread_value_has_no_rows_to_walk_over {
  struct fix_call_gather_local_or_split {
    fix_call_gather_local_or_split(const spread_value&) = delete;
  };
};
/// `sum(x, 1)`: the axis decides the layout. "fix: write them in angle brackets", `sum<1>(x)`.
struct axes_of_a_spread_value_are_template_arguments {
  struct fix_write_them_in_angle_brackets {
    template <class T, class Layout, class Mesh>
    fix_write_them_in_angle_brackets(const spread_over<T, Layout, Mesh>&) = delete;
  };
};
/// `shard(x, devices...)`, `reduce_scatter(x)`: "the call names no axis: fix: write it in angle brackets", `shard<0>(x,
/// devices...)`.
struct the_call_names_no_axis {
  struct fix_write_it_in_angle_brackets {
    template <class T, class D>
    fix_write_it_in_angle_brackets(const placed<T, D>&) = delete;
    template <class T, class Layout, class Mesh>
    fix_write_it_in_angle_brackets(const spread_over<T, Layout, Mesh>&) = delete;
  };
};
/// `var<0>(x)` of a `Sharded<0>`: "the axis is cut: fix: call all_gather, or reshard along another axis".
template <class OverAxes>
struct the_axis_is_cut {
  struct fix_call_all_gather_or_reshard {
    template <class T, int Axis, class Mesh>
      requires(OverAxes::has(Axis))
    fix_call_all_gather_or_reshard(const spread_over<T, Sharded<Axis>, Mesh>&) = delete;
  };
};

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// The compile errors of tensors, their parts and copies. See device/diagnostics.hpp for how they work.
#pragma once

#include <concepts>

#include <situ/core/dtype.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>

namespace situ {

template <Element T, Device D>
class Lease;
template <Element T, Device D>
class Tensor;

/// "assigning to a temporary view changes nothing: fix: use x.at(...)".
template <class Element>
struct assigning_to_a_temporary_view_changes_nothing {
  struct fix_use_dot_at {
    template <class Right>
    fix_use_dot_at(const Right&) = delete;
  };
};

/// "a scalar is not a tensor: fix: call full(shape, value), or assign to all elements, x.at(all) = value".
struct a_scalar_is_not_a_tensor {
  struct fix_call_full {};
};

/// "a tensor is not one element: fix: call .item(), or assign to a part, x.at(0, all)".
struct a_tensor_is_not_one_element {
  struct fix_call_dot_item {
    template <class T, class D>
    fix_call_dot_item(const placed<T, D>&) = delete;
  };
};

/// "a tensor would lose the gradient that a variable or an expression over variables records: fix: make it a Variable,
/// or call no_grad".
template <class Element, class Device>
struct a_tensor_would_lose_the_gradient {
  struct fix_make_it_a_Variable_or_call_no_grad {
    template <std::same_as<Element> RightElement>
    fix_make_it_a_Variable_or_call_no_grad(const placed<RightElement, Device>&) = delete;
  };
};

/// "an index is neither a mask nor integers: fix: compare, x(y > 0), or call cast<std::int64_t>(y)".
template <class Device>
struct an_index_is_a_mask_or_integers {
  struct fix_compare_or_call_cast {
    template <class Index>
      requires(!std::same_as<Index, bool> && !IntegerElement<Index>)
    fix_compare_or_call_cast(const placed<Index, Device>&) = delete;
  };
};

/// `x(i)`, `x(all, i)`, `x(i, all)` and `x(i, j)` of integers, `x(all, mask)`, which situ.hpp does not have: "fix:
/// #include <situ/indexing.hpp>", or take(x, i, 0) and take(x, i, 1).
template <class Device>
struct positions_in_parentheses_need_another_header {
  struct fix_include_situ_indexing_hpp {
    template <class Index>
      requires IntegerElement<Index> || std::same_as<Index, bool>
    fix_include_situ_indexing_hpp(const placed<Index, Device>&) = delete;
  };
};
/// `x(all, all, i)`: "positions in parentheses are first or second: fix: call take", `take(x, i, 2)`.
template <class Device>
struct positions_in_parentheses_are_first_or_second {
  struct fix_call_take {
    template <class Index>
      requires IntegerElement<Index>
    fix_call_take(const placed<Index, Device>&) = delete;
  };
};

/// `x[0]`: "an index is in parentheses: fix: write x(0, all)", or x(0) of one axis.
struct an_index_is_in_parentheses {
  struct fix_write_x_of_0_and_all {
    template <class Index>
    fix_write_x_of_0_and_all(const Index&) = delete;
  };
};
/// `x.at(i)`, `x.at(rows, columns)`: "elements at positions are written by a function: fix: call index_put",
/// `x = index_put(x, {rows, columns}, v)`.
struct elements_at_positions_are_written_by_a_function {
  struct fix_call_index_put {
    template <class Index, class Device>
      requires IntegerElement<Index>
    fix_call_index_put(const placed<Index, Device>&) = delete;
  };
};
/// `Tensor<float> x({3, 4})`: "a tensor of a shape is made by a function: fix: call zeros or empty".
struct a_tensor_of_a_shape_is_made_by_a_function {
  struct fix_call_zeros_or_empty {};
};
/// `std::sort(x.begin(), x.end())`: "iterators of a tensor only read, one element after the other: fix: call sort(x)", or
/// use a pointer, `auto w = x.write();`.
struct iterators_of_a_tensor_only_read_in_order {
  struct fix_call_sort_or_write {
    template <class Iterator>
    fix_call_sort_or_write(const Iterator&) = delete;
  };
};
/// `copy(y, x(0, all))`: "a copy into a temporary view changes nothing: fix: use x.at(...)".
struct a_copy_into_a_temporary_view_changes_nothing {
  struct fix_use_dot_at {
    template <Element T, Device D>
    fix_use_dot_at(Tensor<T, D>&&) = delete;
  };
};

/// "copy does not convert elements: fix: call cast<...>(from)".
template <class IntoElement>
struct copy_does_not_convert_elements {
  struct fix_call_cast {
    template <class FromElement, class Device>
      requires(!std::same_as<FromElement, IntoElement>)
    fix_call_cast(const placed<FromElement, Device>&) = delete;
  };
};

/// "pageable memory cannot be copied asynchronously: fix: call .to<Pinned>() first". The GPU reads such memory only
/// through pinned memory, for which the host has to wait.
template <class Pageable>
struct pageable_memory_cannot_be_copied_asynchronously {
  template <class Through>
  struct fix_call_dot_to {};
  template <class Instead>
  struct fix_call_to_async {};
};

/// "a Pending tensor is not there yet: fix: call std::move(pending).wait()". The type of the members that only tensors
/// have: `data` of a `Pending` is an object of this class, whose call operator is deleted.
struct a_pending_tensor_is_not_there_yet {
  struct fix_call_std_move_and_wait {
    constexpr fix_call_std_move_and_wait() = default;
    template <class Left>
      requires requires { typename Left::pending_type; }
    fix_call_std_move_and_wait(const Left&) = delete;
    const float* operator()() const = delete;
  };
};

/// "a pointer into a temporary tensor dangles: fix: give the tensor a name first".
struct pointer_into_a_temporary_tensor {
  struct fix_give_the_tensor_a_name {};
};

/// "a pointer into a temporary lease outlives it: fix: give the lease a name first", `auto w = x.write();`. At the end
/// of the statement the tensor has its elements back, and a write would also change tensors that share them since.
struct pointer_into_a_temporary_lease {
  struct fix_give_the_lease_a_name {
    template <Element T, Device D>
    fix_give_the_lease_a_name(Lease<T, D>&&) = delete;
  };
};

/// "the host cannot write memory of the device: fix: call device_data, for a kernel", or `.to<Cpu>()`. The type of
/// members that only leases on host devices have: on a GPU `data` of a lease is an object of this class, whose call
/// operator is deleted.
template <class MemoryDevice>
struct the_host_cannot_write_memory_of {
  struct fix_call_device_data_for_a_kernel {
    float* operator()() const = delete;
  };
};

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// The compile errors of the collectives: names of deleted conversions, as device/diagnostics.hpp describes.
#pragma once

#include <concepts>
#include <tuple>

#include <situ/core/dtype.hpp>
#include <situ/device/placed.hpp>
#include <situ/tensor/fwd.hpp>

namespace situ {

/// "the call names no devices: fix: name them, as in scatter<Cuda<0>, Cuda<1>>(x)".
struct the_call_names_no_devices {
  struct fix_name_them_as_in_scatter_Cuda_0_Cuda_1 {
    template <class T, class D>
    fix_name_them_as_in_scatter_Cuda_0_Cuda_1(const placed<T, D>&) = delete;
  };
  struct fix_name_them_as_in_broadcast_Cuda_0_Cuda_1 {
    template <class T, class D>
    fix_name_them_as_in_broadcast_Cuda_0_Cuda_1(const placed<T, D>&) = delete;
  };
  struct fix_name_it_as_in_gather_Cuda_0 {
    template <class T, class D>
    fix_name_it_as_in_gather_Cuda_0(const placed<T, D>&) = delete;
    template <class... X>
      requires(TensorLike<X> && ...)
    fix_name_it_as_in_gather_Cuda_0(const std::tuple<X...>&) = delete;
  };
};

namespace internal {
template <class... X>
inline constexpr bool one_element_type = true;
template <class First, class... Rest>
inline constexpr bool one_element_type<First, Rest...> =
    (std::same_as<value_type_t<First>, value_type_t<Rest>> && ...);
}  // namespace internal

/// "the element types of the parts differ: fix: call cast<To>(...)". The parts live on several devices, so that
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
struct element_types_of_a_tuple_differ {
  struct fix_call_cast {
    template <TensorLike... X>
      requires(!internal::one_element_type<X...>)
    fix_call_cast(const std::tuple<X...>&) = delete;
  };
};

/// "scattering or broadcasting would lose the gradient that the operand records: fix: call no_grad".
struct sending_would_lose_the_gradient {
  struct fix_call_no_grad {
    template <Recorded E>
    fix_call_no_grad(const E&) = delete;
  };
};

/// How `all_reduce` combines the tensors of several devices.
enum class ReduceOp { sum, mean };

/// "these elements (bool) have no sum: fix: call cast".
struct elements_have_no_sum {
  struct fix_call_cast {
    template <class T, class D>
      requires(!NumberElement<T>)
    fix_call_cast(const placed<T, D>&) = delete;
    template <TensorLike First, TensorLike... Rest>
      requires(!NumberElement<value_type_t<First>>)
    fix_call_cast(const std::tuple<First, Rest...>&) = delete;
  };
};
/// "these elements (integers, bool) have no mean: fix: call cast".
struct elements_have_no_mean {
  struct fix_call_cast {
    template <class T, class D>
      requires(!FloatingElement<T>)
    fix_call_cast(const placed<T, D>&) = delete;
    template <TensorLike First, TensorLike... Rest>
      requires(!FloatingElement<value_type_t<First>>)
    fix_call_cast(const std::tuple<First, Rest...>&) = delete;
  };
};

}  // namespace situ

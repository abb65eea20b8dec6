// SPDX-License-Identifier: Apache-2.0
// The compile errors of `capture`: names of deleted conversions of the function, as device/diagnostics.hpp describes.
#pragma once

#include <concepts>
#include <type_traits>

#include <situ/core/scalar.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/graph/carried.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// "a graph holds work of a GPU, and the device has none: fix: call the function itself".
template <class Device>
struct a_graph_holds_work_of_a_GPU_only {
  struct fix_call_the_function {
    template <class Function>
    fix_call_the_function(const Function&) = delete;
  };
};
/// "an input of the captured function lives on another device: fix: call .to<To>()".
template <class InputDevice>
struct an_input_to_capture_lives_on {
  template <class To>
  struct fix_call_dot_to {
    template <class Function>
    fix_call_dot_to(const Function&) = delete;
  };
};
/// "a number is no input, since each call has the same: fix: let the function have it as it is, or full({}, value)".
struct a_number_is_not_an_input {
  struct fix_call_full {
    template <class Function>
    fix_call_full(const Function&) = delete;
  };
};
/// "a captured function returns tensors of another device: fix: return tensors of the graph's device".
template <class ResultDevice>
struct a_captured_function_returns_tensors_of {
  template <class Device>
  struct fix_return_tensors_of {
    template <class Function>
    fix_return_tensors_of(const Function&) = delete;
  };
};
/// "a captured function returns what is no tensor, expression, or tuple, array or vector of them: fix: return tensors
/// of the graph's device".
template <class Result>
struct a_captured_function_returns {
  template <class Device>
  struct fix_return_tensors_of {
    template <class Function>
    fix_return_tensors_of(const Function&) = delete;
  };
};
/// "an input of a captured function is a tensor: fix: give a module that the function changes to carry()".
struct an_input_of_a_captured_function_is_a_tensor {
  struct fix_call_carry_for_a_module {
    template <class Function>
    fix_call_carry_for_a_module(const Function&) = delete;
  };
};

/// `capture(f, x)`: "the call of capture names no device: fix: write it in angle brackets", `capture<Cuda<0>>(f, x)`.
struct the_call_of_capture_names_no_device {
  struct fix_write_it_in_angle_brackets {
    template <class Function>
    fix_write_it_in_angle_brackets(const Function&) = delete;
  };
};

namespace internal {

/// What that guard returns: it can be called, so that there is one error.
struct NothingCaptured {
  template <class... Inputs>
  Tensor<float, Cpu> operator()(const Inputs&...) const;
};

template <class X, class D>
concept LivesElsewhere = TensorLike<X> && !std::same_as<device_t<X>, D>;
template <class X>
inline constexpr bool is_carried = false;
template <class S, class Visit>
inline constexpr bool is_carried<Carried<S, Visit>> = true;
template <class X>
concept IsNoTensor = !TensorLike<X> && !ScalarOperand<X> && !is_carried<X>;

// Deduced, so that compilers print the type and not how it was computed.
template <class D, class F, class Other>
auto refuse_input(const F& f, std::type_identity<Other>) ->
    typename an_input_to_capture_lives_on<Other>::template fix_call_dot_to<D> {
  return f;
}
template <class D, class F, class Result>
auto refuse_result(const F& f, std::type_identity<Result>) ->
    typename a_captured_function_returns<Result>::template fix_return_tensors_of<D> {
  return f;
}
template <class D, class F, class Other>
auto refuse_result_of(const F& f, std::type_identity<Other>) ->
    typename a_captured_function_returns_tensors_of<Other>::template fix_return_tensors_of<D> {
  return f;
}

/// The first device of tensors that is not `D`.
template <class D, class... X>
struct OtherDevice {};
template <class D, class X, class... Rest>
struct OtherDevice<D, X, Rest...> : OtherDevice<D, Rest...> {};
template <class D, class X, class... Rest>
  requires LivesElsewhere<X, D>
struct OtherDevice<D, X, Rest...> {
  using type = device_t<X>;
};

}  // namespace internal

}  // namespace situ

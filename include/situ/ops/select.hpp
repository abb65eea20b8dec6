// SPDX-License-Identifier: Apache-2.0
// Element-wise operations that select, clamp, convert, or call a user's functor: `where clamp cast map`.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/functional/select.hpp>
#include <situ/ops/diagnostics.hpp>

namespace situ {

namespace internal {

/// A mask of `bool` on the device of the operands.
template <class M, class D>
concept MaskOn = TensorLike<M> && std::same_as<value_type_t<M>, bool> && std::same_as<device_t<M>, D>;

/// Whether the gradients of `F` on `Operands` can be recorded: it has a derivative by each operand that records them,
/// for gradients of type `G`.
template <class F, class G, class Indices, class... Operands>
inline constexpr bool has_derivatives = true;
template <class F, class G, std::size_t... At, class... Operands>
inline constexpr bool has_derivatives<F, G, std::index_sequence<At...>, Operands...> =
    ((!Recorded<Operands> || functional::DerivativeOf<F, At, G, compute_t<value_type_t<Operands>>...>) && ...);
template <class F, class... Operands>
using gradient_of_result_t = compute_t<typename result_element<F, value_type_t<Operands>...>::type>;
template <class F, class... Operands>
concept DifferentiableIfRecorded =
    has_derivatives<F, gradient_of_result_t<F, Operands...>, std::index_sequence_for<Operands...>, Operands...> ||
    !DifferentiableElement<typename result_element<F, value_type_t<Operands>...>::type>;

/// A scalar, or a tensor or expression on `D`.
template <class X, class D>
concept OnDeviceOrScalar = !TensorLike<X> || std::same_as<typename X::device_type, D>;

}  // namespace internal

/// `a` where the mask is true, else `b`; all three broadcast. `a` and `b` may be scalars: the element type is that of
/// the other operand, or, for two scalars, theirs.
///
///     Tensor y = where(x > 0, x, 0.1f * x);
///     Tensor sign = where(x > 0, 1.f, -1.f);
template <class M, class A, class B>
  requires Operands<A, B> && OperandsOf<internal::functional::Where, A, B> &&
           internal::MaskOn<M, internal::common_device_t<A, B>>
[[nodiscard]] auto where(M&& mask, A&& a, B&& b) {
  using T = internal::common_element_t<A, B>;
  return LazyUntilEval<internal::functional::Where, internal::stored_t<M>, internal::stored_operand_t<T, A>,
                       internal::stored_operand_t<T, B>>(internal::functional::Where{}, std::in_place,
                                                         std::forward<M>(mask), std::forward<A>(a), std::forward<B>(b));
}
template <class M, Element T>
  requires internal::MaskOn<M, device_t<M>>
[[nodiscard]] auto where(M&& mask, T a, T b) {
  return LazyUntilEval<internal::functional::Where, internal::stored_t<M>, internal::stored_operand_t<T, T>,
                       internal::stored_operand_t<T, T>>(internal::functional::Where{}, std::in_place,
                                                         std::forward<M>(mask), a, b);
}
// Guards. Each is for the first wrong operand: those after it may be anything, those before it are right.
template <class A, class B>
Tensor<float, Cpu> where(the_mask_is_not_bool::fix_compare_or_call_cast_bool, const A&, const B&);
template <Device D, class B>
Tensor<float, D> where(const placed<bool, D>&,
                       typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const B&);
template <Device D, class A>
  requires internal::OnDeviceOrScalar<A, D>
Tensor<float, D> where(const placed<bool, D>&, const A&,
                       typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> where(const placed<bool, D>&, const placed<T, D>&,
                   typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
Tensor<T, D> where(const placed<bool, D>&, const placed<T, D>&,
                   typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);
template <Element T, Device D>
Tensor<T, D> where(const placed<bool, D>&, typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor,
                   const placed<T, D>&);
template <Device D, internal::ScalarOperand A>
Tensor<float, D> where(const placed<bool, D>&, const A&, two_scalars_beside_a_mask::fix_call_full);

/// `x` clamped to [low, high]; the limits are scalars or broadcast. NaN stays NaN; if low > high, high wins, as in
/// NumPy.
template <class X, class Low, class High>
  requires OperandsOf<internal::functional::Clamp, X, Low, High>
[[nodiscard]] lazy_until_eval_t<internal::functional::Clamp, X, Low, High> clamp(X&& x, Low&& low, High&& high) {
  return internal::make_map(internal::functional::Clamp{}, std::forward<X>(x), std::forward<Low>(low),
                            std::forward<High>(high));
}
template <Element T, Device D>
Tensor<T, D> clamp(const placed<T, D>&, clamp_takes_two_limits::fix_call_maximum_or_minimum);
template <class Low, class High>
Tensor<float, Cpu> clamp(complex_numbers_have_no_order::fix_call_real_or_abs, const Low&, const High&);
template <class Low, class High>
Tensor<float, Cpu> clamp(operation_undefined_for_elements<internal::functional::Clamp>::fix_call_cast, const Low&,
                         const High&);
template <Element T, Device D, class High>
  requires(internal::functional::Clamp::accepts<T>)
Tensor<T, D> clamp(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                   const High&);
template <Element T, Device D, class High>
  requires(internal::functional::Clamp::accepts<T>)
Tensor<T, D> clamp(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>, const High&);
template <Element T, Device D, class High>
  requires(internal::functional::Clamp::accepts<T>)
Tensor<T, D> clamp(const placed<T, D>&, typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor,
                   const High&);
template <Element T, Device D, class Low>
  requires(internal::functional::Clamp::accepts<T> && internal::agrees<Low, T, D>)
Tensor<T, D> clamp(const placed<T, D>&, const Low&,
                   typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D, class Low>
  requires(internal::functional::Clamp::accepts<T> && internal::agrees<Low, T, D>)
Tensor<T, D> clamp(const placed<T, D>&, const Low&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D, class Low>
  requires(internal::functional::Clamp::accepts<T> && internal::agrees<Low, T, D>)
Tensor<T, D> clamp(const placed<T, D>&, const Low&,
                   typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);

// A guard: that for 8-bit floats is in situ/float8.hpp.
template <class To>
Tensor<float, Cpu> saturate_cast(typename saturate_cast_is_for_8_bit_floats<To>::fix_call_clamp_and_cast);

/// The elements converted to `To`. Floating to integer truncates; NaN gives 0 and values out of range the nearest
/// integer. To `bool`: whether an element is not 0.
///
///     Tensor y = cast<double>(x) + z;
template <Element To, class X>
  requires TensorLike<X> && (ComplexElement<To> || !ComplexElement<value_type_t<X>>)
[[nodiscard]] auto cast(X&& x) {
  return LazyUntilEval<internal::functional::Cast<To>, internal::stored_t<X>>(internal::functional::Cast<To>{},
                                                                              std::in_place, std::forward<X>(x));
}
template <Element To>
  requires(!ComplexElement<To>)
Tensor<To, Cpu> cast(the_cast_would_drop_imaginary_parts::fix_call_real_or_abs);

/// A user's functor applied to every element, one at a time: `f(float, float) -> Element`. Operands broadcast and may
/// have different element types; 16-bit floats are passed as `float`. For variables it needs a derivative, see
/// formula/functional/derivative.hpp. The functor must be trivially copyable and should be pure: it may be called more
/// than once for an element, and from several threads. If it is not `noexcept` the result is evaluated separately, and
/// the caller gets its first exception, with nothing changed. A functor that is a template on lanes may declare that by
/// `using lane_functor = void;` and the members of `core/functional/`. On a GPU it is compiled by nvcc: it must be at
/// namespace scope, and its `operator()` `constexpr` or `__host__ __device__`.
///
///     struct Cube { constexpr float operator()(float v) const noexcept { return v * v * v; } };
///     Tensor y = map(Cube{}, x) + 1;
template <class F, class First, class... Rest>
  requires TensorLike<First> && (TensorLike<Rest> && ...) && (std::same_as<device_t<First>, device_t<Rest>> && ...) &&
           std::invocable<const F&, compute_t<value_type_t<First>>, compute_t<value_type_t<Rest>>...> &&
           internal::DifferentiableIfRecorded<F, First, Rest...>
[[nodiscard]] auto map(F f, First&& first, Rest&&... rest) {
  return LazyUntilEval<F, internal::stored_t<First>, internal::stored_t<Rest>...>(
      std::move(f), std::in_place, std::forward<First>(first), std::forward<Rest>(rest)...);
}
template <class First, class... Rest>
  requires TensorLike<First> && (TensorLike<Rest> && ...) && (Recorded<First> || (Recorded<Rest> || ...)) &&
           (std::same_as<device_t<First>, device_t<Rest>> && ...)
Tensor<float, Cpu> map(the_functor_of_map_has_no_derivative::fix_add_a_member_derivative, const First&, const Rest&...);
template <class F, Device D, class... Rest>
Tensor<float, D> map(const F&, const on_device<D>&,
                     typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const Rest&...);
template <class F, Device D, class... Rest>
Tensor<float, D> map(const F&, const on_device<D>&, const on_device<D>&,
                     typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const Rest&...);
template <class F, Device D, class... Rest>
Tensor<float, D> map(const F&, const on_device<D>&, const on_device<D>&, const on_device<D>&,
                     typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const Rest&...);

}  // namespace situ

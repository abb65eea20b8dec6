// SPDX-License-Identifier: Apache-2.0
// Complex numbers and their parts: `real imag conj angle polar make_complex view_as_real view_as_complex`. Lazy except
// for the views; gradients follow PyTorch's convention. The magnitude is `abs`.
#pragma once

#include <complex>
#include <string>
#include <utility>

#include <situ/complex/every_kernel.hpp>
#include <situ/core/complex_lane.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/formula/functional/complex.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

template <>
inline constexpr bool internal::element_is_read<std::complex<float>> = true;
template <>
inline constexpr bool internal::element_is_read<std::complex<double>> = true;

/// The complex element whose parts are `float` or `double`: `complex_t<float>` is `std::complex<float>`.
template <class T>
using complex_t = typename internal::functional::ComplexOf<T>::type;

/// The real part of complex elements.
///
///     Tensor x = real(ifft(fft(y)));
template <class X>
  requires OperandsOf<internal::functional::Real, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Real, X> real(X&& x) {
  return internal::make_map(internal::functional::Real{}, std::forward<X>(x));
}
Tensor<float, Cpu> real(operation_undefined_for_elements<internal::functional::Real>::fix_call_cast);

/// The imaginary part of complex elements.
template <class X>
  requires OperandsOf<internal::functional::Imag, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Imag, X> imag(X&& x) {
  return internal::make_map(internal::functional::Imag{}, std::forward<X>(x));
}
Tensor<float, Cpu> imag(operation_undefined_for_elements<internal::functional::Imag>::fix_call_cast);

/// The complex conjugate.
template <class X>
  requires OperandsOf<internal::functional::Conj, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Conj, X> conj(X&& x) {
  return internal::make_map(internal::functional::Conj{}, std::forward<X>(x));
}
Tensor<float, Cpu> conj(operation_undefined_for_elements<internal::functional::Conj>::fix_call_cast);

/// The angle of complex elements in [-pi, pi], `atan2(imag(x), real(x))`. Its gradient is 0 at 0.
template <class X>
  requires OperandsOf<internal::functional::Angle, X>
[[nodiscard]] lazy_until_eval_t<internal::functional::Angle, X> angle(X&& x) {
  return internal::make_map(internal::functional::Angle{}, std::forward<X>(x));
}
Tensor<float, Cpu> angle(operation_undefined_for_elements<internal::functional::Angle>::fix_call_cast);

/// Complex elements from a magnitude and an angle, `float` or `double`: `abs * (cos(angle) + i sin(angle))`.
///
///     Tensor unit = polar(ones<float>({8}), arange<float>(8));   // Tensor<std::complex<float>, Cpu>
template <class A, class B>
  requires OperandsOf<internal::functional::Polar, A, B>
[[nodiscard]] lazy_until_eval_t<internal::functional::Polar, A, B> polar(A&& magnitude, B&& angle) {
  return internal::make_map(internal::functional::Polar{}, std::forward<A>(magnitude), std::forward<B>(angle));
}
template <Element T, Device D>
Tensor<T, D> polar(const placed<T, D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> polar(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

/// Complex elements from a real and an imaginary part, `float` or `double`; PyTorch's `complex`.
template <class A, class B>
  requires OperandsOf<internal::functional::MakeComplex, A, B>
[[nodiscard]] lazy_until_eval_t<internal::functional::MakeComplex, A, B> make_complex(A&& real, B&& imaginary) {
  return internal::make_map(internal::functional::MakeComplex{}, std::forward<A>(real), std::forward<B>(imaginary));
}
template <Element T, Device D>
Tensor<T, D> make_complex(const placed<T, D>&,
                          typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <Element T, Device D>
Tensor<T, D> make_complex(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

namespace internal {

/// Throws `ShapeError` unless a tensor of this shape can have one more axis.
inline void require_axis_for_parts(const Shape& shape, const char* operation) {
  if (shape.rank() < max_rank) return;
  throw ShapeError(std::string(operation) + ": complex elements of shape " + shape.to_string() + ", of rank " +
                   std::to_string(shape.rank()) + ", need one more axis for their parts, and a tensor has at most " +
                   std::to_string(max_rank) + "; merge some with reshape or flatten, or take real(x) and imag(x)");
}

/// `view_as_real` within an operation, which errors name.
template <ComplexElement T, Device D>
[[nodiscard]] Tensor<real_t<T>, D> parts_of(const Tensor<T, D>& x, const char* operation) {
  require_axis_for_parts(x.shape(), operation);
  Shape shape = x.shape();
  shape.push_back(2);
  Layout layout{shape.checked(), {}, 2 * x.layout().offset};
  for (int axis = 0; axis < x.rank(); ++axis) layout.set_stride(axis, 2 * x.layout().stride(axis));
  layout.set_stride(x.rank(), 1);
  return Tensor<real_t<T>, D>(x.storage(), layout);
}

}  // namespace internal

/// The parts of complex elements along a new last axis, (...) -> (..., 2), without a copy. Throws `ShapeError` if the
/// tensor already has the most axes.
template <ComplexElement T, Device D>
[[nodiscard]] Tensor<real_t<T>, D> view_as_real(const Tensor<T, D>& x) {
  return internal::parts_of(x, "view_as_real");
}

/// Complex elements whose parts are along the last axis, (..., 2) -> (...), without a copy if they are adjacent.
/// Throws `ShapeError` unless the last axis has extent 2.
template <class T, Device D>
  requires OneOf<T, float, double>
[[nodiscard]] Tensor<complex_t<T>, D> view_as_complex(const Tensor<T, D>& x) {
  if (x.rank() == 0 || x.shape()[-1] != 2) {
    throw ShapeError("view_as_complex: the last axis of shape " + x.shape().to_string() +
                     " must have extent 2: the real and the imaginary part; stack them along the last axis");
  }
  const int last = x.rank() - 1;
  bool even = x.layout().stride(last) == 1 && x.layout().offset % 2 == 0;
  // Memory of another library may be misaligned for complex elements.
  even = even && reinterpret_cast<std::uintptr_t>(x.storage().data()) % sizeof(complex_t<T>) == 0;
  for (int axis = 0; axis < last; ++axis) even = even && x.layout().stride(axis) % 2 == 0;
  if (!even) return view_as_complex(evaluate(x));
  Layout layout{x.shape(), {}, x.layout().offset / 2};
  layout.shape.erase(last);
  for (int axis = 0; axis < last; ++axis) layout.set_stride(axis, x.layout().stride(axis) / 2);
  return Tensor<complex_t<T>, D>(x.storage(), layout);
}

}  // namespace situ

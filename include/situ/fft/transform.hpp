// SPDX-License-Identifier: Apache-2.0
// One Fourier transform along one axis of tensors, its gradient, and the transform of variables.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <situ/autograd/variable.hpp>
#include <situ/complex.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/fft/every_kernel.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/pad.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/fft.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// Which direction is divided by the length n, NumPy's `norm`: the inverse (`backward`, the default), the forward one
/// (`forward`), or both by its square root (`ortho`), which preserves norms.
enum class FftNorm { backward, ortho, forward };

/// Options of `fft` and similar functions.
struct FftOptions {
  /// The length: the axis is truncated or padded with zeros. By default the extent of the axis; for `irfft`
  /// 2 (extent - 1), which is even.
  std::optional<std::int64_t> n = std::nullopt;
  std::int64_t axis = -1;
  FftNorm norm = FftNorm::backward;
};

namespace internal {

/// Elements that can be transformed: `float` and `double`, and complex numbers of these.
template <class T>
concept FourierElement = OneOf<real_t<T>, float, double>;
template <class X>
concept FourierTensor = TensorLike<X> && FourierElement<value_type_t<X>>;
template <class X>
concept RealFourierTensor = FourierTensor<X> && !ComplexElement<value_type_t<X>>;
template <class X>
concept SpectrumTensor = FourierTensor<X> && ComplexElement<value_type_t<X>>;

/// The elements of a spectrum of `X`.
template <class X>
using spectrum_element_t = complex_t<real_t<value_type_t<X>>>;

/// The operations, for error messages.
struct OfFourier : functional::OfAny<OfFourier> {
  static constexpr const char* name = "fft";
  template <Element T>
  static constexpr bool accepts = FourierElement<T>;
};
struct OfRealFourier : functional::OfAny<OfRealFourier> {
  static constexpr const char* name = "rfft";
  template <Element T>
  static constexpr bool accepts = FourierElement<T> && !ComplexElement<T>;
};
struct OfSpectrum : functional::OfAny<OfSpectrum> {
  static constexpr const char* name = "istft";
  template <Element T>
  static constexpr bool accepts = FourierElement<T> && ComplexElement<T>;
};

/// The factor of a transform of length `n`.
[[nodiscard]] inline double fourier_scale(FftNorm norm, bool inverse, std::int64_t n) {
  const auto length = static_cast<double>(n);
  if (norm == FftNorm::ortho) return 1 / std::sqrt(length);
  return (norm == FftNorm::backward) == inverse ? 1 / length : 1;
}

/// With a last axis of length `n`: truncated, or padded with zeros.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> with_last_extent(const Tensor<T, D>& x, std::int64_t n) {
  const int last = x.rank() - 1;
  const std::int64_t extent = x.shape()[last];
  if (extent == n) return x;
  if (extent > n) return Tensor<T, D>(x.storage(), sliced(x.layout(), last, 0, n));
  PadWidth widths[max_rank];
  widths[last].after = n - extent;
  return pad(x, std::span<const PadWidth>(widths, static_cast<std::size_t>(x.rank())));
}

/// Applies `transform` to the last axis, at the extent that it needs, with results of type `Out`.
template <Element Out, Element T, Device D>
[[nodiscard]] Tensor<Out, D> transformed_rows(const Tensor<T, D>& x, program::Fourier transform) {
  using Real = real_t<T>;
  Shape shape = x.shape();
  transform.count = shape.count(0, shape.rank() - 1);
  shape.set(shape.rank() - 1, transform.row_out() / (ComplexElement<Out> ? 2 : 1));
  Storage<D> storage = allocate_elements<Out, D>(shape.checked());
  if (transform.count > 0) {
    const Tensor<T, D> rows = contiguous(x);
    call_kernel<D, kernels::Fft, TransformsFourier<backend_t<D>, Real>>(
        [&](auto backend) {
          fourier_transform(backend, transform, reinterpret_cast<const Real*>(rows.element_pointer()),
                            static_cast<Real*>(storage.data()));
        },
        writes<Out>(storage), reads(rows));
  }
  return Tensor<Out, D>(std::move(storage), Layout::row_major(shape));
}

/// 1 for the first of the `n / 2 + 1` elements of a real spectrum, and for the last if n is even: these are their own
/// mirror images. `other` for the elements that represent two.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> spectrum_weights(std::int64_t n, real_t<T> other) {
  const Tensor<std::int64_t, D> k = arange<std::int64_t>(n / 2 + 1, D{});
  return cast<T>(where(k == 0 || k * 2 == n, ones<real_t<T>>({n / 2 + 1}, D{}), other));
}

/// A transform of one axis: its result, and its gradient.
struct FourierOfAxis {
  program::Fourier transform;
  int axis = 0;

  /// The number of elements that the axis of the operand must have.
  [[nodiscard]] std::int64_t extent_in() const {
    return transform.kind == program::FourierKind::inverse_real ? transform.length / 2 + 1 : transform.length;
  }

  template <Element Out, Element T, Device D>
  [[nodiscard]] Tensor<Out, D> of(const Tensor<T, D>& x) const {
    const Tensor<T, D> rows = with_last_extent(Tensor<T, D>(transpose(x, axis, -1)), extent_in());
    return transpose(transformed_rows<Out>(rows, transform), axis, -1);
  }

  /// The gradient for an operand of shape `x` with elements `T`, from that of the result: the adjoint of the transform,
  /// which is the transform in the other direction with the same factor. Padding has no gradient.
  template <Element T, Element Out, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<Out, D>& g, const Shape& x) const {
    using program::FourierKind;
    const Tensor<Out, D> rows = transpose(g, axis, -1);
    program::Fourier back = transform;
    back.inverse = !transform.inverse;
    Tensor<T, D> result;
    if constexpr (!ComplexElement<T>) {  // each element that represents two counts once
      back.kind = FourierKind::inverse_real;
      result =
          transformed_rows<T>(Tensor<Out, D>(rows * spectrum_weights<Out, D>(transform.length, real_t<T>(0.5))), back);
    } else if constexpr (!ComplexElement<Out>) {
      back.kind = FourierKind::real;
      result = transformed_rows<T>(rows, back) * spectrum_weights<T, D>(transform.length, real_t<T>(2));
    } else {
      result = transformed_rows<T>(rows, back);
    }
    return transpose(with_last_extent(result, x[axis]), axis, -1);
  }
};

/// The transform of `kind` that the options describe. Throws `IndexError`, and `ValueError` for a length below 1.
[[nodiscard]] inline FourierOfAxis fourier_of_axis(const char* name, program::FourierKind kind, bool inverse,
                                                   const Shape& x, const FftOptions& options) {
  FourierOfAxis made;
  made.axis = normalize_axis(options.axis, x.rank(), name);
  const std::int64_t extent = x[made.axis];
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;  // the count of parts fits
  const std::int64_t whole = kind == program::FourierKind::inverse_real ? 2 * (std::min(extent, most) - 1) : extent;
  const std::int64_t n = options.n.value_or(whole);
  if (n < 1) {
    throw ValueError(std::string(name) + ": a length of " + std::to_string(n) + " along axis " +
                     std::to_string(options.axis) + " of shape " + x.to_string() +
                     "; a transform needs at least one element, set n");
  }
  if (n > most) {
    throw ValueError(std::string(name) + ": a length of " + std::to_string(n) + " is more than memory can hold");
  }
  made.transform = {kind, n, inverse, 1, fourier_scale(options.norm, inverse, n)};
  return made;
}

/// Transforms a tensor, an expression or a variable to elements of type `Out`; recorded if `x` records.
template <Element Out, class X>
[[nodiscard]] typename Applied<Recorded<X>, Out, device_t<X>>::type fourier(const FourierOfAxis& operation,
                                                                            const X& x) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  if constexpr (Recorded<X>) {
    const Variable<T, D> variable = autograd::as_variable(x);
    return autograd::record(operation.of<Out>(variable.value()), autograd::nodes_of(variable),
                            [edge = variable.edge(), operation](autograd::Pass& pass, const Tensor<Out, D>& g) {
                              pass.add(edge, operation.gradient<T>(g, edge.shape));
                            });
  } else {
    return operation.of<Out>(Tensor<T, D>(eval(x)));
  }
}

/// Real elements converted to complex ones; complex ones unchanged.
template <class X>
[[nodiscard]] decltype(auto) as_complex(const X& x) {
  if constexpr (ComplexElement<value_type_t<X>>) return (x);
  else return cast<spectrum_element_t<X>>(x);
}

}  // namespace internal

}  // namespace situ

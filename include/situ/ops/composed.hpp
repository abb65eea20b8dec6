// SPDX-License-Identifier: Apache-2.0
// Operations made of others: `softmax log_softmax logsumexp layer_norm`. They name no backend; where one has a kernel
// that finishes a row while it is in the cache, that is taken, by argument-dependent lookup of its name.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/cpu/rows.hpp>
#include <situ/cuda/kernels/rows.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/compound_assignment.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/rows.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// A tensor or expression with a fraction in its elements.
template <class X>
concept FloatingTensor = TensorLike<X> && FloatingElement<value_type_t<X>>;

/// The operations of this header, named for the guards.
namespace internal::operation {
struct Softmax : functional::OfFloating<Softmax> {};
struct LogSoftmax : functional::OfFloating<LogSoftmax> {};
struct LogSumExp : functional::OfFloating<LogSumExp> {};
}  // namespace internal::operation

namespace internal {

/// Reads a layout as rows along its last axis; false if they do not lie evenly.
[[nodiscard]] inline bool rows_of(const Layout& layout, program::Rows& rows) {
  const int last = layout.shape.rank() - 1;
  const std::int64_t length = layout.shape[last];
  if (length > 1 && layout.stride(last) != 1) return false;
  Shape outer = layout.shape;
  outer.erase(last);
  const program::Axes<1> axes({layout.strides}, outer);
  if (axes.rank() > 1) return false;
  rows = {axes.extent(0), length, axes.extent(0) == 1 ? length : axes.stride(0)};
  return true;
}

/// A tensor read as rows, copied when its elements do not lie so.
template <class T, class D>
struct RowOperand {
  Tensor<T, D> tensor;
  program::Rows rows{};

  explicit RowOperand(Tensor<T, D> operand) : tensor(std::move(operand)) {
    if (rows_of(tensor.layout(), rows)) return;
    tensor = contiguous(tensor);
    static_cast<void>(rows_of(tensor.layout(), rows));
  }
};

/// `kernel(backend, rows, in, out)` over the rows of `x`; the value of an expression is overwritten by the result. `more`
/// are the other tensors that the kernel reads.
template <class X, class Kernel, class... More>
[[nodiscard]] auto map_rows(const X& x, Kernel kernel, const More&... more) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const RowOperand<T, D> in(eval(x));
  const Layout layout = Layout::row_major(in.tensor.shape());
  Storage<D> storage = is_map<X> ? in.tensor.storage() : allocate_elements<T, D>(in.tensor.shape());
  on_backend<D>(
      [&](auto backend) {
        kernel(backend, in.rows, in.tensor.element_pointer(), static_cast<T*>(storage.data()));
      },
      writes(storage), reads(in.tensor), reads(more)...);
  return Tensor<T, D>(std::move(storage), layout);
}

/// Whether `axis` of `x`, whose elements are not none, is one that row kernels take.
template <class X>
[[nodiscard]] bool along_rows(const X& x, int axis) {
  return axis == x.shape().rank() - 1 && x.shape().count() > 0;
}

}  // namespace internal

/// `exp(x) / sum(exp(x))` along an axis, without overflow. Floating elements; 16-bit ones are computed in `float`. A
/// row with NaN or plus infinity, or of minus infinities only, becomes NaN, as in PyTorch. Throws `IndexError` for an
/// axis out of range.
///
///     Tensor p = softmax(logits);      // along the last axis
template <FloatingTensor X>
[[nodiscard]] Tensor<value_type_t<X>, device_t<X>> softmax(const X& x, std::int64_t axis = -1) {
  using T = value_type_t<X>;
  const int a = normalize_axis(axis, x.shape().rank(), "softmax");
  if (internal::along_rows(x, a)) {
    return internal::map_rows(x, [](auto backend, const internal::program::Rows& rows, const T* in, T* out) {
      softmax_along_rows(backend, rows, in, out);
    });
  }
  if (x.shape().count() == 0) return eval(x);
  if constexpr (OneOf<T, float16, bfloat16>) {
    return cast<T>(softmax(cast<float>(x), a));
  } else {
    const Tensor operand = eval(x);
    Tensor powers = exp(operand - max(operand, a, keepdims));
    powers /= sum(powers, a, keepdims);
    return powers;
  }
}
template <class... Rest>
Tensor<float, Cpu> softmax(operation_undefined_for_elements<internal::operation::Softmax>::fix_call_cast,
                           const Rest&...);

/// The logarithm of `softmax`, also where that rounds to 0.
template <FloatingTensor X>
[[nodiscard]] Tensor<value_type_t<X>, device_t<X>> log_softmax(const X& x, std::int64_t axis = -1) {
  using T = value_type_t<X>;
  const int a = normalize_axis(axis, x.shape().rank(), "log_softmax");
  if (internal::along_rows(x, a)) {
    return internal::map_rows(x, [](auto backend, const internal::program::Rows& rows, const T* in, T* out) {
      log_softmax_along_rows(backend, rows, in, out);
    });
  }
  if (x.shape().count() == 0) return eval(x);
  if constexpr (OneOf<T, float16, bfloat16>) {
    return cast<T>(log_softmax(cast<float>(x), a));
  } else {
    const Tensor operand = eval(x);
    Tensor shifted = operand - max(operand, a, keepdims);
    shifted -= log(sum(exp(shifted), a, keepdims));
    return shifted;
  }
}
template <class... Rest>
Tensor<float, Cpu> log_softmax(operation_undefined_for_elements<internal::operation::LogSoftmax>::fix_call_cast,
                               const Rest&...);

/// `log(sum(exp(x)))` over all axes, one or several (see `Axes`), without overflow. Of no elements: minus infinity.
template <FloatingTensor X>
[[nodiscard]] Tensor<value_type_t<X>, device_t<X>> logsumexp(const X& x, const Axes& axes = {},
                                                            KeepDims keep = KeepDims::no) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Shape shape = x.shape();
  const std::uint32_t set = axes.of(shape, "logsumexp");
  const Shape result_shape = internal::reduced_shape(shape, set, keep == KeepDims::yes ? keep : axes.keep());
  if (internal::reduced_count(shape, set) == 0 || result_shape.count() == 0) {
    return internal::Fill<T, D>(result_shape, static_cast<T>(-std::numeric_limits<compute_t<T>>::infinity()));
  }
  // A longer row is worth several threads, which one row of a row kernel does not use.
  constexpr std::int64_t longest_row = 65536;
  if (shape.rank() > 0 && set == 1U << (shape.rank() - 1) && shape[-1] <= longest_row) {
    const internal::RowOperand<T, D> in(eval(x));
    Storage<D> storage = internal::allocate_elements<T, D>(result_shape);
    on_backend<D>(
        [&](auto backend) {
          logsumexp_along_rows(backend, in.rows, in.tensor.element_pointer(), static_cast<T*>(storage.data()));
        },
        internal::writes(storage), internal::reads(in.tensor));
    return Tensor<T, D>(std::move(storage), Layout::row_major(result_shape));
  }
  if constexpr (OneOf<T, float16, bfloat16>) {
    return cast<T>(logsumexp(cast<float>(x), axes, keep));
  } else {
    const Tensor operand = eval(x);
    const Tensor most = internal::reduce_axes(internal::reduction::Max{}, operand, set, keepdims);
    const Tensor shift = where(isfinite(most), most, T(0));  // infinite maxima come out of the sum by themselves
    const Tensor result =
        log(internal::reduce_axes(internal::reduction::Sum{}, exp(operand - shift), set, keepdims)) + shift;
    return Tensor<T, D>(result.storage(), Layout::row_major(result_shape));
  }
}
template <class... Rest>
Tensor<float, Cpu> logsumexp(operation_undefined_for_elements<internal::operation::LogSumExp>::fix_call_cast,
                             const Rest&...);

namespace internal {

/// The parameter of a layer normalisation as adjacent elements; throws `ShapeError` unless it has one for each column.
template <class X>
[[nodiscard]] auto layer_parameter(const X& parameter, const Shape& shape, const char* which) {
  if (!(parameter.shape() == Shape{shape[-1]})) {
    throw ShapeError(std::string("layer_norm: ") + which + " has shape " + parameter.shape().to_string() +
                     ", but x of shape " + shape.to_string() + " needs " + Shape{shape[-1]}.to_string());
  }
  return contiguous(parameter);
}

}  // namespace internal

/// `(x - mean) / sqrt(var + epsilon) * weight + bias` along the last axis, of n elements; `weight` and `bias` have
/// shape (n). The variance divides by n. Throws `ShapeError` for other shapes. Ba, Kiros, Hinton, "Layer
/// Normalization", 2016.
///
///     Tensor y = layer_norm(x, ones<float>({64}), zeros<float>({64}));
template <FloatingTensor X, class W, class B>
  requires Operands<X, W, B> && TensorLike<W> && TensorLike<B>
[[nodiscard]] Tensor<value_type_t<X>, device_t<X>> layer_norm(const X& x, const W& weight, const B& bias,
                                                             double epsilon = 1e-5) {
  using T = value_type_t<X>;
  const Shape shape = x.shape();
  static_cast<void>(normalize_axis(-1, shape.rank(), "layer_norm"));
  const auto scale = internal::layer_parameter(weight, shape, "weight");
  const auto offset = internal::layer_parameter(bias, shape, "bias");
  if (shape.count() == 0) return eval(x);
  return internal::map_rows(
      x,
      [&](auto backend, const internal::program::Rows& rows, const T* in, T* out) {
        layer_norm_along_rows(backend, rows, in, epsilon, scale.element_pointer(), offset.element_pointer(), out);
      },
      scale, offset);
}
template <class D, class B>
on_device<D> layer_norm(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                        const B&, double = 0);
template <class D, class W>
on_device<D> layer_norm(const on_device<D>&, const W&,
                        typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, double = 0);
template <class T, class D, class B>
placed<T, D> layer_norm(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>, const B&,
                        double = 0);
template <class T, class D, class W>
placed<T, D> layer_norm(const placed<T, D>&, const W&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                        double = 0);

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// `softmax log_softmax logsumexp`.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/compound_assignment.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/as_elements.hpp>
#include <situ/ops/every_kernel.hpp>
#include <situ/ops/last_axis.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/unary.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/softmax.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal::operation {

struct Softmax : functional::OfFloating<Softmax> {
  static constexpr bool keeps_layout = true;
  std::int64_t axis;

  template <FloatingTensor X>
  [[nodiscard]] tensor_of_t<X> operator()(const X& x) const {
    using T = value_type_t<X>;
    const int a = normalize_axis(axis, x.shape().rank(), "softmax");
    if (along_rows(x, a)) {
      constexpr bool has_kernel = Softmaxes<backend_t<device_t<X>>, T>;
      return map_rows<Softmax, has_kernel>(x, [](auto backend, const program::Rows& rows, const T* in, T* out) {
        softmax_along_rows(backend, rows, in, out);
      });
    }
    if (x.shape().count() == 0) return eval(x);
    if constexpr (OneOf<T, float16, bfloat16>) {
      return cast<T>((*this)(cast<float>(x)));
    } else {
      const Tensor operand = eval(x);
      Tensor powers = exp(operand - max(operand, a, keepdims));
      powers /= sum(powers, a, keepdims);
      return powers;
    }
  }

  static constexpr unsigned gradient_reads = reads::result;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& y, const Shape&) const {
    using C = compute_t<T>;  // the sum of 16-bit floats is not rounded before the subtraction
    const Tensor<C, D> common = sum(as_elements<C>(g) * as_elements<C>(y), axis, keepdims);
    return as_elements<T>(as_elements<C>(y) * (as_elements<C>(g) - common));
  }
};

struct LogSoftmax : functional::OfFloating<LogSoftmax> {
  static constexpr bool keeps_layout = true;
  std::int64_t axis;

  template <FloatingTensor X>
  [[nodiscard]] tensor_of_t<X> operator()(const X& x) const {
    using T = value_type_t<X>;
    const int a = normalize_axis(axis, x.shape().rank(), "log_softmax");
    if (along_rows(x, a)) {
      constexpr bool has_kernel = LogSoftmaxes<backend_t<device_t<X>>, T>;
      return map_rows<LogSoftmax, has_kernel>(x, [](auto backend, const program::Rows& rows, const T* in, T* out) {
        log_softmax_along_rows(backend, rows, in, out);
      });
    }
    if (x.shape().count() == 0) return eval(x);
    if constexpr (OneOf<T, float16, bfloat16>) {
      return cast<T>((*this)(cast<float>(x)));
    } else {
      const Tensor operand = eval(x);
      Tensor shifted = operand - max(operand, a, keepdims);
      shifted -= log(sum(exp(shifted), a, keepdims));
      return shifted;
    }
  }

  static constexpr unsigned gradient_reads = reads::result;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& y, const Shape&) const {
    using C = compute_t<T>;
    const Tensor<C, D> common = sum(as_elements<C>(g), axis, keepdims);
    return as_elements<T>(as_elements<C>(g) - exp(as_elements<C>(y)) * common);
  }
};

}  // namespace internal::operation

/// `exp(x) / sum(exp(x))` along an axis, without overflow. Floating elements; 16-bit ones are computed in `float`. A
/// row with NaN or plus infinity, or of minus infinities only, becomes NaN, as in PyTorch. Throws `IndexError` for an
/// axis out of range.
///
///     Tensor p = softmax(logits);      // along the last axis
template <int... Axis, internal::OperandAlong<internal::operation::Softmax, Axis...> X>
[[nodiscard]] internal::along_t<internal::operation::Softmax, X, Axis...> softmax(
    const X& x, internal::axis_t<X, Axis...> axis = internal::axis_t<X, Axis...>(-1)) {
  return internal::along_axis<Axis...>(internal::operation::Softmax{{}, axis}, x);
}
template <class... Rest>
Tensor<float, Cpu> softmax(operation_undefined_for_elements<internal::operation::Softmax>::fix_call_cast,
                           const Rest&...);

/// The logarithm of `softmax`, accurate even where that rounds to 0.
template <int... Axis, internal::OperandAlong<internal::operation::LogSoftmax, Axis...> X>
[[nodiscard]] internal::along_t<internal::operation::LogSoftmax, X, Axis...> log_softmax(
    const X& x, internal::axis_t<X, Axis...> axis = internal::axis_t<X, Axis...>(-1)) {
  return internal::along_axis<Axis...>(internal::operation::LogSoftmax{{}, axis}, x);
}
template <class... Rest>
Tensor<float, Cpu> log_softmax(operation_undefined_for_elements<internal::operation::LogSoftmax>::fix_call_cast,
                               const Rest&...);

namespace internal::operation {

struct LogSumExp : functional::OfFloating<LogSumExp> {
  ReducedAxes axes;

  template <FloatingTensor X>
  [[nodiscard]] tensor_of_t<X> operator()(const X& x) const {
    using T = value_type_t<X>;
    using D = device_t<X>;
    const Shape shape = x.shape();
    const Shape result_shape = reduced_shape(shape, axes.set, axes.keep);
    if (reduced_count(shape, axes.set) == 0 || result_shape.count() == 0) {
      return Fill<T, D>(result_shape, static_cast<T>(-std::numeric_limits<compute_t<T>>::infinity()));
    }
    // A longer row deserves several threads, and a row kernel uses one per row.
    constexpr std::int64_t longest_row = 65536;
    if (shape.rank() > 0 && axes.set == 1U << (shape.rank() - 1) && shape[-1] <= longest_row) {
      const RowOperand<T, D> in(x);
      Storage<D> storage = allocate_elements<T, D>(result_shape);
      call_kernel<D, kernels::LogSumExp, LogSumExps<backend_t<D>, T>>(
          [&](auto backend) {
            logsumexp_along_rows(backend, in.rows, in.tensor.element_pointer(), static_cast<T*>(storage.data()));
          },
          writes<T>(storage), internal::reads(in.tensor));
      return Tensor<T, D>(std::move(storage), Layout::row_major(result_shape));
    }
    if constexpr (OneOf<T, float16, bfloat16>) {
      return cast<T>((*this)(cast<float>(x)));
    } else {
      const Tensor operand = eval(x);
      const Tensor most = reduce_axes(reduction::Max{}, operand, axes.set, keepdims);
      const Tensor shift = where(isfinite(most), most, T(0));  // the sum is infinite for infinite maxima
      const Tensor sums = log(reduce_axes(reduction::Sum{}, exp(operand - shift), axes.set, keepdims)) + shift;
      return Tensor<T, D>(sums.storage(), Layout::row_major(result_shape));
    }
  }

  static constexpr unsigned gradient_reads = reads::result | reads::operand<0>;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& total, const Tensor<T, D>& x) const {
    // NaN for an infinite element that is the sum, as in PyTorch, so that an infinite loss is noticed and not trained
    // on. If all elements are minus infinity, as in a masked row, the gradient is 0.
    const Tensor<T, D> y = axes.kept(total, x.shape());
    const T nothing = static_cast<T>(-std::numeric_limits<compute_t<T>>::infinity());
    return axes.kept(g, x.shape()) * exp(x - where(y == nothing, T(0), y));
  }
};

}  // namespace internal::operation

/// `log(sum(exp(x)))` over all axes, one or several (see `ReduceAxes`), without overflow. Minus infinity if there are
/// no elements.
template <auto... How, internal::OperandAlong<internal::operation::LogSumExp, How...> X>
[[nodiscard]] internal::along_t<internal::operation::LogSumExp, X, How...> logsumexp(
    const X& x, internal::axes_t<X, ReduceAxes, How...> axes = {}, KeepDims keep = internal::AxesOf<How...>::keep) {
  return internal::along<internal::operation::LogSumExp, How...>(x, [&](const auto& part) {
    return internal::apply(internal::operation::LogSumExp{{}, {axes, keep, part.shape(), "logsumexp"}}, part);
  });
}
template <class... Rest>
Tensor<float, Cpu> logsumexp(operation_undefined_for_elements<internal::operation::LogSumExp>::fix_call_cast,
                             const Rest&...);

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// Pooling of images: `max_pool2d max_pool2d_with_indices avg_pool2d`.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/binary.hpp>
#include <situ/ops/convolution.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/pad.hpp>
#include <situ/ops/pooled.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/plan/window.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// Options of `max_pool2d`; the names and defaults are PyTorch's. Padding is never the largest element.
struct MaxPool2dOptions {
  Size2d stride = 0;  // 0: the kernel's extent
  Size2d padding = 0;
  Size2d dilation = 1;
  bool ceil_mode = false;  // windows that reach past the end count
};

/// Options of `avg_pool2d`; the names and defaults are PyTorch's.
struct AvgPool2dOptions {
  Size2d stride = 0;  // 0: the kernel's extent
  Size2d padding = 0;
  bool ceil_mode = false;         // windows that reach past the end count
  bool count_include_pad = true;  // the zeros of the padding count in the average
  Size2d dilation = 1;            // not in PyTorch
};

namespace internal::operation {
struct MaxPool2d : functional::OfFloating<MaxPool2d> {};
struct AvgPool2d : functional::OfFloating<AvgPool2d> {};
}  // namespace internal::operation

namespace internal {

[[nodiscard]] inline PoolingPlan plan_max_pool(const Shape& x, Size2d kernel, const MaxPool2dOptions& o,
                                               const char* operation = "max_pool2d") {
  return plan_pooling(x, kernel, o.stride, o.padding, o.dilation, o.ceil_mode, operation);
}
[[nodiscard]] inline PoolingPlan plan_average_pool(const Shape& x, Size2d kernel, const AvgPool2dOptions& o) {
  PoolingPlan plan = plan_pooling(x, kernel, o.stride, o.padding, o.dilation, o.ceil_mode, "avg_pool2d");
  plan.pooling.counts_padding = o.count_include_pad;
  return plan;
}

namespace operation {

template <Device D>
struct MaxPooling {
  PoolingPlan plan;
  Tensor<std::int32_t, D> positions = {};  // if recorded: those of the largest elements

  template <TensorLike X>
  [[nodiscard]] tensor_of_t<X> operator()(const X& x) const {
    return max_pool(tensor_of_t<X>(eval(x)), plan, static_cast<Tensor<std::int32_t, D>*>(nullptr));
  }
  template <Element T>
  [[nodiscard]] Tensor<T, D> recorded(const Tensor<T, D>& x) {
    return max_pool(x, plan, &positions);
  }
  template <Element T>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& x) const {
    return max_pool_gradient(g, positions, x, plan.pooling);
  }
};

struct AveragePooling {
  PoolingPlan plan;

  template <TensorLike X>
  [[nodiscard]] tensor_of_t<X> operator()(const X& x) const {
    return average_pool(tensor_of_t<X>(eval(x)), plan);
  }
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& x) const {
    return average_pool_gradient(g, x, plan.pooling);
  }
};

}  // namespace operation

/// The averages of windows with dilation: their sums, by a convolution with ones, divided by their counts.
template <class X>
[[nodiscard]] applied_t<X> average_with_dilation(const X& x, const PoolingPlan& plan) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  if constexpr (!std::same_as<T, compute_t<T>>) {  // rounded once
    return cast<T>(average_with_dilation(cast<compute_t<T>>(x), plan));
  } else {
    const auto& [down, across] = plan.pooling.window;
    const auto behind = [](const program::WindowAxis& axis) {
      const std::int64_t reach = (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
      return std::max<std::int64_t>(0, reach - axis.in - axis.padding);
    };
    const PadWidth none, rows{down.padding, behind(down)}, columns{across.padding, behind(across)};
    // The padding that counts, and the padding beyond that.
    const bool padding_counts = plan.pooling.counts_padding;
    const auto counted = [padding_counts](const PadWidth& width) {
      return padding_counts ? width.before + std::min(width.before, width.after) : 0;
    };
    const auto not_counted = [padding_counts](const PadWidth& width) {
      return padding_counts ? PadWidth{0, std::max<std::int64_t>(0, width.after - width.before)} : width;
    };
    const Tensor<T, D> kernel = ones<T>({1, 1, down.kernel, across.kernel}, D{});
    const Tensor<T, D> which = ones<T>({1, 1, down.in + counted(rows), across.in + counted(columns)}, D{});
    const Conv2dOptions options{.stride = {down.stride, across.stride}, .dilation = {down.dilation, across.dilation}};
    const Tensor<T, D> counts =
        conv2d(pad(which, {none, none, not_counted(rows), not_counted(columns)}), kernel, options);
    const applied_t<X> planes = reshape(x, Shape{plan.pooling.planes, 1, down.in, across.in});
    const applied_t<X> sums = conv2d(pad(planes, {none, none, rows, columns}), kernel, options);
    return reshape(sums / counts, plan.shape);
  }
}

}  // namespace internal

/// The largest element of each window: `x` has shape (images, channels, height, width) or (channels, height, width),
/// the result as many rows and columns as a convolution with such a kernel. NaN counts as the largest, as in PyTorch.
/// Its gradient goes to the first of equal ones. Floating elements. Throws `ShapeError` for a kernel larger than the
/// image with its padding, `ValueError` for invalid options, such as a padding of more than half the kernel.
///
///     Tensor y = max_pool2d(x, 2);                                       // (n, 16, 8, 8) -> (n, 16, 4, 4)
///     Tensor z = max_pool2d(x, {3, 2}, {.stride = 2, .padding = 1});
template <FloatingTensor X>
[[nodiscard]] applied_t<X> max_pool2d(const X& x, Size2d kernel, const MaxPool2dOptions& options = {}) {
  using Operation = internal::operation::MaxPooling<device_t<X>>;
  return internal::apply(Operation{internal::plan_max_pool(x.shape(), kernel, options)}, x);
}
/// For integers of up to 32 bits, computed in floats that hold them; a window that reads nothing gives the least one.
template <TensorLike X>
  requires IntegerElement<value_type_t<X>> && (sizeof(value_type_t<X>) <= 4)
[[nodiscard]] internal::tensor_of_t<X> max_pool2d(const X& x, Size2d kernel, const MaxPool2dOptions& options = {}) {
  using T = value_type_t<X>;
  using Exact = std::conditional_t<sizeof(T) <= 2, float, double>;
  constexpr auto least = static_cast<Exact>(std::numeric_limits<T>::lowest());
  return cast<T>(maximum(max_pool2d(cast<Exact>(x), kernel, options), least));
}
Tensor<float, Cpu> max_pool2d(operation_undefined_for_elements<internal::operation::MaxPool2d>::fix_call_cast, Size2d,
                              const MaxPool2dOptions& = {});

/// The result of `max_pool2d_with_indices`: the largest elements, and their positions.
template <TensorLike Values>
struct MaxPooled2d {
  Values values;
  Tensor<std::int64_t, device_t<Values>> indices;
};

/// As `max_pool2d`, and the position of each largest element in its plane, `row * width + column`, as in PyTorch: of
/// equal ones the first, of NaN the last; -1 for a window that reads nothing, which is possible with padding and
/// dilation. For variables the windows are read twice.
///
///     auto [values, indices] = max_pool2d_with_indices(x, 2);
template <FloatingTensor X>
[[nodiscard]] MaxPooled2d<applied_t<X>> max_pool2d_with_indices(const X& x, Size2d kernel,
                                                                const MaxPool2dOptions& options = {}) {
  using D = device_t<X>;
  Tensor<std::int32_t, D> positions;
  const internal::PoolingPlan plan = internal::plan_max_pool(x.shape(), kernel, options, "max_pool2d_with_indices");
  if constexpr (Recorded<X>) {
    const applied_t<X> in = eval(x);
    static_cast<void>(internal::max_pool(internal::tensor_of_t<X>(no_grad(in)), plan, &positions));
    return {max_pool2d(in, kernel, options), cast<std::int64_t>(positions)};
  } else {
    applied_t<X> values = internal::max_pool(internal::tensor_of_t<X>(eval(x)), plan, &positions);
    return {std::move(values), cast<std::int64_t>(positions)};
  }
}
MaxPooled2d<Tensor<float, Cpu>> max_pool2d_with_indices(
    operation_undefined_for_elements<internal::operation::MaxPool2d>::fix_call_cast, Size2d,
    const MaxPool2dOptions& = {});

/// The average of each window, see `max_pool2d`; 16-bit floats are added up in `float`. With dilation, which PyTorch
/// does not have, it is composed of convolutions, which are slower; a window may then read nothing of the image: its
/// average is 0 if the padding counts, and otherwise NaN, the mean of no elements.
///
///     Tensor y = avg_pool2d(x, 3, {.stride = 1, .padding = 1, .count_include_pad = false});
template <FloatingTensor X>
[[nodiscard]] applied_t<X> avg_pool2d(const X& x, Size2d kernel, const AvgPool2dOptions& options = {}) {
  using Operation = internal::operation::AveragePooling;
  const internal::PoolingPlan plan = internal::plan_average_pool(x.shape(), kernel, options);
  if (options.dilation == Size2d(1)) return internal::apply(Operation{plan}, x);
  return internal::average_with_dilation(x, plan);
}
Tensor<float, Cpu> avg_pool2d(operation_undefined_for_elements<internal::operation::AvgPool2d>::fix_call_cast, Size2d,
                              const AvgPool2dOptions& = {});

}  // namespace situ

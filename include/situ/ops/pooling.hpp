// SPDX-License-Identifier: Apache-2.0
// Poolings of images: `max_pool2d avg_pool2d`.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/convolution.hpp>
#include <situ/ops/every_kernel.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/window.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// How `max_pool2d` moves its windows; the names and defaults are PyTorch's. What lies in the padding is never the
/// largest.
struct MaxPool2dOptions {
  Size2d stride = 0;  // 0: the kernel's extent
  Size2d padding = 0;
  Size2d dilation = 1;
  bool ceil_mode = false;  // windows that reach over the end count
};

/// How `avg_pool2d` moves its windows; the names and defaults are PyTorch's.
struct AvgPool2dOptions {
  Size2d stride = 0;  // 0: the kernel's extent
  Size2d padding = 0;
  bool ceil_mode = false;         // windows that reach over the end count
  bool count_include_pad = true;  // the zeros of the padding count in the average
};

namespace internal::operation {
struct MaxPool2d : functional::OfFloating<MaxPool2d> {};
struct AvgPool2d : functional::OfFloating<AvgPool2d> {};
}  // namespace internal::operation

namespace internal {

/// What a pooling computes, and the shape of its result.
struct PoolingPlan {
  program::Pooling pooling;
  Shape shape;
};
[[nodiscard]] inline PoolingPlan plan_pooling(const Shape& x, Size2d kernel, Size2d stride, Size2d padding,
                                              Size2d dilation, bool round_up, const char* operation) {
  const std::string name = operation;
  if (x.rank() != 4 && x.rank() != 3) {
    throw ShapeError(name + ": shape " + x.to_string() +
                     "; x has shape (images, channels, height, width) or (channels, height, width)");
  }
  if (padding.height > kernel.height / 2 || padding.width > kernel.width / 2) {
    throw ValueError(name + ": the padding " + padding.to_string() + " is more than half of the kernel " +
                     kernel.to_string() + "; some windows would read nothing else");
  }
  PoolingPlan plan{{x.rank() == 4 ? x[0] * x[1] : x[0], {}}, x};
  program::Window2d& window = plan.pooling.window;
  window.height = window_axis(x[-2], kernel.height, stride.height == 0 ? kernel.height : stride.height, padding.height,
                              dilation.height, (name + " (height)").c_str(), round_up);
  window.width = window_axis(x[-1], kernel.width, stride.width == 0 ? kernel.width : stride.width, padding.width,
                             dilation.width, (name + " (width)").c_str(), round_up);
  if (window.image() > std::numeric_limits<std::int32_t>::max())
    throw ShapeError(name + ": an image of shape " + x.to_string() + " has 2^31 elements or more in a channel");
  plan.shape.set(x.rank() - 2, window.height.out);
  plan.shape.set(x.rank() - 1, window.width.out);
  return plan;
}

[[nodiscard]] inline PoolingPlan plan_max_pool(const Shape& x, Size2d kernel, const MaxPool2dOptions& o) {
  return plan_pooling(x, kernel, o.stride, o.padding, o.dilation, o.ceil_mode, "max_pool2d");
}
[[nodiscard]] inline PoolingPlan plan_average_pool(const Shape& x, Size2d kernel, const AvgPool2dOptions& o) {
  PoolingPlan plan = plan_pooling(x, kernel, o.stride, o.padding, 1, o.ceil_mode, "avg_pool2d");
  plan.pooling.counts_padding = o.count_include_pad;
  return plan;
}

/// The largest elements, and if `positions` is given where in their images they are.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> max_pool(const Tensor<T, D>& images, const PoolingPlan& plan,
                                    Tensor<std::int32_t, D>* positions) {
  const Tensor<T, D> x = contiguous(images);
  const Layout layout = Layout::row_major(plan.shape);
  Storage<D> storage = allocate_elements<T, D>(plan.shape.checked());
  Storage<D> places = positions != nullptr ? allocate_elements<std::int32_t, D>(plan.shape) : Storage<D>();
  if (plan.shape.count() > 0) {
    const auto run = [&](auto backend) {
      max_pool(backend, plan.pooling, elements_of<T>(x.element_pointer()), static_cast<T*>(storage.data()),
               positions != nullptr ? static_cast<std::int32_t*>(places.data()) : nullptr);
    };
    // without positions `places` is null, and writes nothing
    call_kernel<D, kernels::MaxPool2d, PoolsMaxima<backend_t<D>, T>>(run, writes<T>(storage), writes(places), reads(x));
  }
  if (positions != nullptr) *positions = Tensor<std::int32_t, D>(std::move(places), layout);
  return Tensor<T, D>(std::move(storage), layout);
}

/// The gradient of the images, of shape `shape`, from that of the largest elements and their positions.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> max_pool_gradient(const Tensor<T, D>& gradient, const Tensor<std::int32_t, D>& positions,
                                             const Shape& shape, const program::Pooling& pooling) {
  if constexpr (convolves_as_float<T, D>) {
    return eval(cast<T>(max_pool_gradient<float, D>(eval(cast<float>(gradient)), positions, shape, pooling)));
  } else {
    const Tensor<T, D> g = contiguous(gradient);
    Storage<D> storage = allocate_elements<T, D>(shape);
    if (shape.count() > 0) {
      call_kernel<D, kernels::MaxPool2dGradient, PoolsMaximaBack<backend_t<D>, T>>(
          [&](auto backend) {
            max_pool_gradient(backend, pooling, elements_of<T>(g.element_pointer()),
                              elements_of<std::int32_t>(positions.element_pointer()), static_cast<T*>(storage.data()));
          },
          writes<T>(storage), reads(g), reads(positions));
    }
    return Tensor<T, D>(std::move(storage), Layout::row_major(shape));
  }
}

template <Element T, Device D>
[[nodiscard]] Tensor<T, D> average_pool(const Tensor<T, D>& images, const PoolingPlan& plan) {
  const Tensor<T, D> x = contiguous(images);
  Storage<D> storage = allocate_elements<T, D>(plan.shape.checked());
  if (plan.shape.count() > 0) {
    call_kernel<D, kernels::AvgPool2d, PoolsAverages<backend_t<D>, T>>(
        [&](auto backend) {
          average_pool(backend, plan.pooling, elements_of<T>(x.element_pointer()), static_cast<T*>(storage.data()));
        },
        writes<T>(storage), reads(x));
  }
  return Tensor<T, D>(std::move(storage), Layout::row_major(plan.shape));
}

/// The gradient of the images, of shape `shape`, from that of the averages.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> average_pool_gradient(const Tensor<T, D>& gradient, const Shape& shape,
                                                 const program::Pooling& pooling) {
  if constexpr (convolves_as_float<T, D>) {
    return eval(cast<T>(average_pool_gradient<float, D>(eval(cast<float>(gradient)), shape, pooling)));
  } else {
    const Tensor<T, D> g = contiguous(gradient);
    Storage<D> storage = allocate_elements<T, D>(shape);
    if (shape.count() > 0) {
      call_kernel<D, kernels::AvgPool2dGradient, PoolsAveragesBack<backend_t<D>, T>>(
          [&](auto backend) {
            average_pool_gradient(backend, pooling, elements_of<T>(g.element_pointer()),
                                  static_cast<T*>(storage.data()));
          },
          writes<T>(storage), reads(g));
    }
    return Tensor<T, D>(std::move(storage), Layout::row_major(shape));
  }
}

namespace operation {

template <Device D>
struct MaxPooling {
  PoolingPlan plan;
  Tensor<std::int32_t, D> positions = {};  // when recorded: of the largest elements

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

}  // namespace internal

/// The largest element of each window: `x` has shape (images, channels, height, width) or (channels, height, width),
/// the result as many rows and columns as a convolution with such a kernel would have. NaN counts as the largest, as in
/// PyTorch. Its gradient goes to the first of equal ones. Floating elements. Throws `ShapeError` for a kernel larger
/// than the image with its padding, `ValueError` for options that make no sense, a padding of more than half the kernel
/// among them.
///
///     Tensor y = max_pool2d(x, 2);                                       // (n, 16, 8, 8) -> (n, 16, 4, 4)
///     Tensor z = max_pool2d(x, {3, 2}, {.stride = 2, .padding = 1});
template <FloatingTensor X>
[[nodiscard]] applied_t<X> max_pool2d(const X& x, Size2d kernel, const MaxPool2dOptions& options = {}) {
  using Operation = internal::operation::MaxPooling<device_t<X>>;
  return internal::apply(Operation{internal::plan_max_pool(x.shape(), kernel, options)}, x);
}
Tensor<float, Cpu> max_pool2d(operation_undefined_for_elements<internal::operation::MaxPool2d>::fix_call_cast, Size2d,
                              const MaxPool2dOptions& = {});

/// The average of each window, see `max_pool2d`; 16-bit floats are added up in `float`.
///
///     Tensor y = avg_pool2d(x, 3, {.stride = 1, .padding = 1, .count_include_pad = false});
template <FloatingTensor X>
[[nodiscard]] applied_t<X> avg_pool2d(const X& x, Size2d kernel, const AvgPool2dOptions& options = {}) {
  using Operation = internal::operation::AveragePooling;
  return internal::apply(Operation{internal::plan_average_pool(x.shape(), kernel, options)}, x);
}
Tensor<float, Cpu> avg_pool2d(operation_undefined_for_elements<internal::operation::AvgPool2d>::fix_call_cast, Size2d,
                              const AvgPool2dOptions& = {});

}  // namespace situ

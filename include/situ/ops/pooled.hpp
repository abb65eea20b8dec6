// SPDX-License-Identifier: Apache-2.0
// What poolings compute: their windows and the shape of the result, and the calls of their kernels.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/ops/convolution.hpp>
#include <situ/ops/every_kernel.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/windows.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/window.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

/// The parameters of a pooling, and the shape of its result.
struct PoolingPlan {
  program::Pooling pooling;
  Shape shape;
};
/// Throws `ShapeError` unless x has channels, the axes of the windows, and at most one more axis.
inline void require_pooling(const WindowsOf& windows, const Shape& x) {
  if (x.rank() == windows.axes + 2 || x.rank() == windows.axes + 1) return;
  const std::string extents = windows.extents;
  throw ShapeError(std::string(windows.operation) + ": shape " + x.to_string() + "; x has shape (" + windows.each +
                   ", channels, " + extents + ") or (channels, " + extents + ")");
}
/// One axis of the windows of a pooling, as `window_axis`; a stride of 0 is the kernel's extent.
[[nodiscard]] inline program::WindowAxis pooling_axis(std::int64_t in, std::int64_t kernel, std::int64_t stride,
                                                      std::int64_t padding, std::int64_t dilation, bool round_up,
                                                      const char* operation, const char* axis = "") {
  if (padding > kernel / 2) {
    throw ValueError(std::string(operation) + axis + ": the padding " + std::to_string(padding) +
                     " is more than half of the kernel " + std::to_string(kernel) +
                     "; some windows would read nothing else");
  }
  return window_axis(in, kernel, stride == 0 ? kernel : stride, padding, dilation, operation, round_up, axis);
}
[[nodiscard]] inline PoolingPlan plan_pooling(const Shape& x, Size2d kernel, Size2d stride, Size2d padding,
                                              Size2d dilation, bool round_up, const char* operation) {
  require_pooling({operation, "height, width", 2, "images"}, x);
  PoolingPlan plan{{x.count(0, x.rank() - 2), {}}, x};
  program::Window2d& window = plan.pooling.window;
  window.height = pooling_axis(x[-2], kernel.height, stride.height, padding.height, dilation.height, round_up,
                               operation, " (height)");
  window.width =
      pooling_axis(x[-1], kernel.width, stride.width, padding.width, dilation.width, round_up, operation, " (width)");
  if (window.image() > std::numeric_limits<std::int32_t>::max())
    throw ShapeError(std::string(operation) + ": an image of shape " + x.to_string() +
                     " has 2^31 elements or more in a channel");
  plan.shape.set(x.rank() - 2, window.height.out);
  plan.shape.set(x.rank() - 1, window.width.out);
  return plan;
}

/// The largest elements, and if `positions` is given, their positions in their images.
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

}  // namespace situ::internal

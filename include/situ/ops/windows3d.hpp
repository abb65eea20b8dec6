// SPDX-License-Identifier: Apache-2.0
// Convolution and pooling of volumes: `conv3d max_pool3d avg_pool3d`, composed of those of images.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/convolution.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/pad.hpp>
#include <situ/ops/pooling.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/plan/product.hpp>
#include <situ/plan/window.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// A number for each axis of a volume, or one for all: `.padding = 1`, `.stride = {2, 1, 1}`.
struct Size3d {
  std::int64_t depth;
  std::int64_t height;
  std::int64_t width;

  constexpr Size3d(std::int64_t all) noexcept : depth(all), height(all), width(all) {}
  constexpr Size3d(std::int64_t depth_, std::int64_t height_, std::int64_t width_) noexcept
      : depth(depth_), height(height_), width(width_) {}

  friend constexpr bool operator==(const Size3d&, const Size3d&) = default;
};

/// Options of `conv3d`; see `Conv2dOptions`.
struct Conv3dOptions {
  Size3d stride = 1;
  Size3d padding = 0;  // zeros on each side
  Size3d dilation = 1;
  std::int64_t groups = 1;
  Precision precision = Precision::full;
};

/// Options of `max_pool3d`; see `MaxPool2dOptions`.
struct MaxPool3dOptions {
  Size3d stride = 0;  // 0: the kernel's extent
  Size3d padding = 0;
  Size3d dilation = 1;
  bool ceil_mode = false;  // windows that reach past the end count
};

/// Options of `avg_pool3d`; see `AvgPool2dOptions`.
struct AvgPool3dOptions {
  Size3d stride = 0;  // 0: the kernel's extent
  Size3d padding = 0;
  bool ceil_mode = false;         // windows that reach past the end count
  bool count_include_pad = true;  // the zeros of the padding count in the average
  Size3d dilation = 1;            // not in PyTorch
};

namespace internal {

namespace operation {
struct Conv3d : functional::OfFloating<Conv3d> {};
struct MaxPool3d : functional::OfFloating<MaxPool3d> {};
struct AvgPool3d : functional::OfFloating<AvgPool3d> {};
}  // namespace operation

/// The height and the width of a volume.
[[nodiscard]] constexpr Size2d plane_of(const Size3d& size) { return {size.height, size.width}; }

/// Volumes as images, one for each position of the windows along the depth. An image's channels are those of the
/// volume, each at every depth that the window reads: (n, c, depth, h, w) -> (n * windows, c * kernel, h, w). Windows
/// share depths, whose gradients are added up, for 16-bit floats in `float`.
template <class X>
[[nodiscard]] applied_t<X> depths_of_windows(const X& x, const program::WindowAxis& depth) {
  using D = device_t<X>;
  using T = value_type_t<X>;
  if constexpr (!std::same_as<T, compute_t<T>>) {
    using Wide = applied_t<decltype(cast<compute_t<T>>(x))>;
    return cast<T>(depths_of_windows(Wide(cast<compute_t<T>>(x)), depth));
  } else {
    const Shape shape = x.shape();
    const auto windows = reshape(arange<std::int64_t>(depth.out, D{}) * depth.stride, Shape{depth.out, 1});
    const Tensor<std::int64_t, D> read = windows + arange<std::int64_t>(depth.kernel, D{}) * depth.dilation;
    const PadWidth none, around{depth.padding, depth.padding};
    const applied_t<X> taken =
        depth.padding == 0 ? take(x, read, 2) : take(pad(x, {none, none, around, none, none}), read, 2);
    return reshape(permute(taken, {0, 2, 1, 3, 4, 5}),
                   Shape{product_of_extents(shape[0], depth.out, "conv3d"),
                         product_of_extents(shape[1], depth.kernel, "conv3d"), shape[3], shape[4]});
  }
}

template <class X, class W, class... B>
[[nodiscard]] applied_t<X, W, B...> conv3d_of(const Shape* added, const Conv3dOptions& o, const X& x, const W& weight,
                                              const B&... bias) {
  const Shape shape = x.shape(), kernels = weight.shape();
  require_convolution({"conv3d", "depth, height, width", 3, "volumes"}, shape, kernels, added, o.groups);
  const program::WindowAxis depth =
      window_axis(shape[-3], kernels[2], o.stride.depth, o.padding.depth, o.dilation.depth, "conv3d (depth)");
  const std::int64_t height =
      window_axis(shape[-2], kernels[3], o.stride.height, o.padding.height, o.dilation.height, "conv3d (height)").out;
  const std::int64_t width =
      window_axis(shape[-1], kernels[4], o.stride.width, o.padding.width, o.dilation.width, "conv3d (width)").out;
  const std::int64_t volumes = shape.rank() == 5 ? shape[0] : 1;
  const applied_t<X> batch = reshape(x, Shape{volumes, shape[-4], shape[-3], shape[-2], shape[-1]});
  const applied_t<X, W, B...> planes =
      conv2d(depths_of_windows(batch, depth),
             reshape(weight, Shape{kernels[0], kernels.count(1, 3), kernels[3], kernels[4]}), bias...,
             {.stride = plane_of(o.stride),
              .padding = plane_of(o.padding),
              .dilation = plane_of(o.dilation),
              .groups = o.groups,
              .precision = o.precision});
  const applied_t<X, W, B...> result =
      permute(reshape(planes, Shape{volumes, depth.out, kernels[0], height, width}), {0, 2, 1, 3, 4});
  if (shape.rank() == 5) return result;
  return squeeze(result, {0});
}

/// Pooling of volumes: `planes` pools the image at every depth, and `depths` then pools images whose rows are depths
/// and whose columns are the elements of a plane. A box consists of its planes, and the divisor of its average is the
/// product of those of the axes, so the two together pool boxes.
struct VolumePooling {
  const char* name;
  Size3d kernel, stride, padding, dilation;
  bool round_up;

  template <class X, class Planes, class Depths>
  [[nodiscard]] applied_t<X> operator()(const X& x, const Planes& planes, const Depths& depths) const {
    const Shape shape = x.shape();
    require_pooling({name, "depth, height, width", 3, "volumes"}, shape);
    const auto axis = [&](int at, std::int64_t Size3d::*of, const char* what) {
      return pooling_axis(shape[at], kernel.*of, stride.*of, padding.*of, dilation.*of, round_up, name, what);
    };
    const std::int64_t depth = axis(-3, &Size3d::depth, " (depth)").out;
    const std::int64_t height = axis(-2, &Size3d::height, " (height)").out;
    const std::int64_t width = axis(-1, &Size3d::width, " (width)").out;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();  // limit of the image pooling below
    const std::int64_t pooled = product_of_extents(height, width, name);
    if (shape.count(shape.rank() - 2, shape.rank()) > most || pooled > most / shape[-3]) {
      throw ShapeError(std::string(name) + ": the planes of shape " + shape.to_string() +
                       ", or a channel of pooled planes, have 2^31 elements or more; pool parts of it");
    }
    const std::int64_t volumes = shape.count(0, shape.rank() - 3);
    const applied_t<X> flat = planes(reshape(x, Shape{volumes, shape[-3], shape[-2], shape[-1]}));
    const applied_t<X> deep = depths(reshape(flat, Shape{volumes, shape[-3], pooled}));
    Shape result = shape;
    result.set(shape.rank() - 3, depth);
    result.set(shape.rank() - 2, height);
    result.set(shape.rank() - 1, width);
    return reshape(deep, result);
  }
};

}  // namespace internal

/// The convolution of volumes: `x` has shape (volumes, channels, depth, height, width), or (channels, depth, height,
/// width) for one, the weight (out, channels / groups, kernel depth, kernel height, kernel width), the bias (out,), the
/// result (volumes, out, ...), a view. Otherwise as `conv2d`, which it uses: it needs the memory of `x` times the depth
/// of the kernel, twice, and as much for its gradient.
///
///     Tensor y = conv3d(x, weight, bias, {.padding = 1});   // (n, 3, 4, 8, 8), (16, 3, 3, 3, 3) -> (n, 16, 4, 8, 8)
template <class X, class W, class B>
  requires internal::Multipliable<X, W> && internal::Multipliable<X, B> && FloatingElement<value_type_t<X>>
[[nodiscard]] applied_t<X, W, B> conv3d(const X& x, const W& weight, const B& bias, const Conv3dOptions& options = {}) {
  const Shape added = bias.shape();
  return internal::conv3d_of(&added, options, x, weight, bias);
}
/// Without a bias.
template <class X, class W>
  requires internal::Multipliable<X, W> && FloatingElement<value_type_t<X>>
[[nodiscard]] applied_t<X, W> conv3d(const X& x, const W& weight, const Conv3dOptions& options = {}) {
  return internal::conv3d_of(nullptr, options, x, weight);
}
// Guards, as in `conv2d`.
template <class D>
on_device<D> conv3d(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    const Conv3dOptions& = {});
template <class D, class B>
on_device<D> conv3d(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    const B&, const Conv3dOptions& = {});
template <class D, class W>
  requires std::same_as<device_t<W>, D>
on_device<D> conv3d(const on_device<D>&, const W&,
                    typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    const Conv3dOptions& = {});
template <class T, class D>
placed<T, D> conv3d(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                    const Conv3dOptions& = {});
template <class T, class D, class B>
placed<T, D> conv3d(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>, const B&,
                    const Conv3dOptions& = {});
template <class T, class D, class W>
  requires std::same_as<value_type_t<W>, T>
placed<T, D> conv3d(const placed<T, D>&, const W&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                    const Conv3dOptions& = {});
template <Element T, Device D>
  requires(!FloatingElement<T>)
Tensor<T, D> conv3d(const placed<T, D>&,
                    typename operation_undefined_for_elements<internal::operation::Conv3d, T, D>::fix_call_cast,
                    const Conv3dOptions& = {});
template <Element T, Device D, class B>
  requires(!FloatingElement<T>)
Tensor<T, D> conv3d(const placed<T, D>&,
                    typename operation_undefined_for_elements<internal::operation::Conv3d, T, D>::fix_call_cast,
                    const B&, const Conv3dOptions& = {});

/// The largest element of each window of volumes, (volumes, channels, depth, height, width) or (channels, depth,
/// height, width); otherwise as `max_pool2d`, which it uses for every plane, and then along the depth.
///
///     Tensor y = max_pool3d(x, 2);                                       // (n, 16, 8, 8, 8) -> (n, 16, 4, 4, 4)
template <FloatingTensor X>
[[nodiscard]] applied_t<X> max_pool3d(const X& x, const Size3d& kernel, const MaxPool3dOptions& options = {}) {
  const auto& [stride, padding, dilation, up] = options;
  const internal::VolumePooling pooling{"max_pool3d", kernel, stride, padding, dilation, up};
  return pooling(
      x,
      [&](const auto& planes) {
        return max_pool2d(planes, internal::plane_of(kernel),
                          {internal::plane_of(options.stride), internal::plane_of(options.padding),
                           internal::plane_of(options.dilation), options.ceil_mode});
      },
      [&](const auto& depths) {
        return max_pool2d(
            depths, {kernel.depth, 1},
            {{options.stride.depth, 1}, {options.padding.depth, 0}, {options.dilation.depth, 1}, options.ceil_mode});
      });
}
Tensor<float, Cpu> max_pool3d(operation_undefined_for_elements<internal::operation::MaxPool3d>::fix_call_cast,
                              const Size3d&, const MaxPool3dOptions& = {});

/// The average of each window of volumes; otherwise as `avg_pool2d`. It averages the averages of planes.
///
///     Tensor y = avg_pool3d(x, 3, {.stride = 1, .padding = 1});
template <FloatingTensor X>
[[nodiscard]] applied_t<X> avg_pool3d(const X& x, const Size3d& kernel, const AvgPool3dOptions& options = {}) {
  using T = value_type_t<X>;
  if constexpr (!std::same_as<T, compute_t<T>>) {  // rounded once
    return cast<T>(avg_pool3d(cast<compute_t<T>>(x), kernel, options));
  } else {
    const auto& [stride, padding, up, counts, dilation] = options;
    const internal::VolumePooling pooling{"avg_pool3d", kernel, stride, padding, dilation, up};
    return pooling(
        x,
        [&](const auto& planes) {
          return avg_pool2d(planes, internal::plane_of(kernel),
                            {internal::plane_of(options.stride), internal::plane_of(options.padding), options.ceil_mode,
                             options.count_include_pad, internal::plane_of(options.dilation)});
        },
        [&](const auto& depths) {
          return avg_pool2d(depths, {kernel.depth, 1},
                            {{options.stride.depth, 1},
                             {options.padding.depth, 0},
                             options.ceil_mode,
                             options.count_include_pad,
                             {options.dilation.depth, 1}});
        });
  }
}
Tensor<float, Cpu> avg_pool3d(operation_undefined_for_elements<internal::operation::AvgPool3d>::fix_call_cast,
                              const Size3d&, const AvgPool3dOptions& = {});

}  // namespace situ

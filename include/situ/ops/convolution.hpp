// SPDX-License-Identifier: Apache-2.0
// Convolution of images: `conv2d`.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/every_kernel.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/ops/windows.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/window.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// Options of `conv2d`; the names and defaults are PyTorch's. `groups` divides the channels of x and of the result into
/// this many groups, which are convolved separately.
///
///     conv2d(x, weight, bias, {.stride = 2, .padding = {1, 0}})
struct Conv2dOptions {
  Size2d stride = 1;
  Size2d padding = 0;  // zeros on each side
  Size2d dilation = 1;
  std::int64_t groups = 1;
  Precision precision = Precision::full;
};

namespace internal {

/// The parameters of a convolution, and the shape of its result.
struct ConvolutionPlan {
  program::Convolution convolution;
  Shape shape;
  bool has_bias = false;
};
[[nodiscard]] inline ConvolutionPlan plan_convolution(const Shape& x, const Shape& weight, const Shape* bias,
                                                      const Conv2dOptions& options) {
  require_convolution({"conv2d", "height, width", 2, "images"}, x, weight, bias, options.groups);
  ConvolutionPlan plan;
  plan.has_bias = bias != nullptr;
  program::Convolution& c = plan.convolution;
  c.images = x.rank() == 4 ? x[0] : 1;
  c.groups = options.groups;
  c.in_channels = weight[1];
  c.out_channels = weight[0] / options.groups;
  c.window.height = window_axis(x[-2], weight[2], options.stride.height, options.padding.height,
                                options.dilation.height, "conv2d (height)");
  c.window.width = window_axis(x[-1], weight[3], options.stride.width, options.padding.width, options.dilation.width,
                               "conv2d (width)");
  c.precision = options.precision;
  if (x.rank() == 4) plan.shape.push_back(x[0]);
  plan.shape.push_back(weight[0]);
  plan.shape.push_back(c.window.height.out);
  plan.shape.push_back(c.window.width.out);
  return plan;
}

template <Element T>
const T* elements_of(const void* data) {
  return static_cast<const T*>(data);
}

/// Whether convolutions of `T` on `D` are computed in `float` and rounded at the end: 16-bit floats on the host.
template <class T, class D>
inline constexpr bool convolves_as_float = HostDevice<D> && !std::same_as<T, compute_t<T>>;

template <Element T, Device D>
[[nodiscard]] Tensor<T, D> convolve(const Tensor<T, D>& images, const Tensor<T, D>& kernels, const Tensor<T, D>* bias,
                                    const ConvolutionPlan& plan) {
  if constexpr (convolves_as_float<T, D>) {
    const Tensor<float, D> added = bias != nullptr ? eval(cast<float>(*bias)) : Tensor<float, D>();
    return eval(cast<T>(convolve<float, D>(eval(cast<float>(images)), eval(cast<float>(kernels)),
                                           bias != nullptr ? &added : nullptr, plan)));
  } else {
    const Tensor<T, D> x = contiguous(images), weight = contiguous(kernels);
    const Tensor<T, D> added = bias != nullptr ? contiguous(*bias) : Tensor<T, D>();
    Storage<D> storage = allocate_elements<T, D>(plan.shape.checked());
    if (plan.shape.count() > 0) {
      call_kernel<D, kernels::Conv2d, Convolves<backend_t<D>, T>>(
          [&](auto backend) {
            convolve(backend, plan.convolution, elements_of<T>(x.element_pointer()),
                     elements_of<T>(weight.element_pointer()),
                     bias != nullptr ? elements_of<T>(added.element_pointer()) : nullptr,
                     static_cast<T*>(storage.data()));
          },
          writes<T>(storage), reads(x), reads(weight), reads(added));
    }
    return Tensor<T, D>(std::move(storage), Layout::row_major(plan.shape));
  }
}

/// The gradient of x, of shape `shape`, from that of the result.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> convolution_input_gradient(const Tensor<T, D>& gradient, const Tensor<T, D>& kernels,
                                                      const Shape& shape, const program::Convolution& c) {
  if constexpr (convolves_as_float<T, D>) {
    return eval(cast<T>(
        convolution_input_gradient<float, D>(eval(cast<float>(gradient)), eval(cast<float>(kernels)), shape, c)));
  } else {
    const Tensor<T, D> g = contiguous(gradient), weight = contiguous(kernels);
    Storage<D> storage = allocate_elements<T, D>(shape);
    if (shape.count() > 0) {
      call_kernel<D, kernels::Conv2dGradient, ConvolvesBack<backend_t<D>, T>>(
          [&](auto backend) {
            convolve_input_gradient(backend, c, elements_of<T>(g.element_pointer()),
                                    elements_of<T>(weight.element_pointer()), static_cast<T*>(storage.data()));
          },
          writes<T>(storage), reads(g), reads(weight));
    }
    return Tensor<T, D>(std::move(storage), Layout::row_major(shape));
  }
}

/// The gradient of the weight, of shape `shape`, from that of the result; there is at least one image.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> convolution_weight_gradient(const Tensor<T, D>& gradient, const Tensor<T, D>& images,
                                                       const Shape& shape, const program::Convolution& c) {
  if constexpr (convolves_as_float<T, D>) {
    return eval(cast<T>(
        convolution_weight_gradient<float, D>(eval(cast<float>(gradient)), eval(cast<float>(images)), shape, c)));
  } else {
    const Tensor<T, D> g = contiguous(gradient), x = contiguous(images);
    Storage<D> storage = allocate_elements<T, D>(shape);
    call_kernel<D, kernels::Conv2dGradient, CorrelatesGradient<backend_t<D>, T>>(
        [&](auto backend) {
          convolve_weight_gradient(backend, c, elements_of<T>(g.element_pointer()), elements_of<T>(x.element_pointer()),
                                   static_cast<T*>(storage.data()));
        },
        writes<T>(storage), reads(g), reads(x));
    return Tensor<T, D>(std::move(storage), Layout::row_major(shape));
  }
}

namespace operation {

/// The third operand is read only if the plan has a bias.
struct Conv2d : functional::OfFloating<Conv2d> {
  ConvolutionPlan plan;

  template <TensorLike X, TensorLike W, TensorLike B>
  [[nodiscard]] tensor_of_t<X> operator()(const X& x, const W& weight, const B& bias) const {
    const tensor_of_t<X> images = eval(x), kernels = eval(weight), added = eval(bias);
    return convolve(images, kernels, plan.has_bias ? &added : nullptr, plan);
  }

  template <std::size_t At>
  static constexpr unsigned gradient_reads = At == 0   ? reads::operand<1>
                                             : At == 1 ? reads::operand<0>
                                                       : reads::nothing;
  template <std::size_t At, Element T, Device D, class X, class W>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const X& x, const W& weight, const Shape&) const {
    if constexpr (At == 0) {
      return convolution_input_gradient(g, weight, x, plan.convolution);
    } else if constexpr (At == 1) {
      if (g.size() == 0) return zeros<T>(weight, D{});
      return convolution_weight_gradient(g, x, weight, plan.convolution);
    } else {
      return g.rank() == 4 ? sum(g, {0, 2, 3}) : sum(g, {1, 2});
    }
  }
};

}  // namespace operation

}  // namespace internal

/// The convolution of images with the kernels of a layer (strictly, the correlation: kernels are not flipped), plus a
/// bias: `x` has shape (images, channels, height, width), or (channels, height, width) for one image, the weight (out,
/// channels / groups, kernel height, kernel width), the bias (out,), the result (images, out, ...) with
/// `(height + 2 padding - dilation (kernel - 1) - 1) / stride + 1` rows, rounded down, and columns likewise. Floating
/// elements; sums of 16-bit floats are accumulated in `float`. The same bits in every run, and on the host with any
/// number of threads. Throws `ShapeError` for shapes that do not fit and `ValueError` for invalid options.
///
///     Tensor y = conv2d(x, weight, bias, {.padding = 1});   // (n, 3, 8, 8), (16, 3, 3, 3), (16,) -> (n, 16, 8, 8)
template <class X, class W, class B>
  requires internal::Multipliable<X, W> && internal::Multipliable<X, B> && FloatingElement<value_type_t<X>>
[[nodiscard]] applied_t<X, W, B> conv2d(const X& x, const W& weight, const B& bias, const Conv2dOptions& options = {}) {
  const Shape added = bias.shape();
  const internal::operation::Conv2d conv{{}, internal::plan_convolution(x.shape(), weight.shape(), &added, options)};
  return internal::apply(conv, x, weight, bias);
}
/// Without a bias.
template <class X, class W>
  requires internal::Multipliable<X, W> && FloatingElement<value_type_t<X>>
[[nodiscard]] applied_t<X, W> conv2d(const X& x, const W& weight, const Conv2dOptions& options = {}) {
  const internal::operation::Conv2d conv{{}, internal::plan_convolution(x.shape(), weight.shape(), nullptr, options)};
  return internal::apply(conv, x, weight, internal::tensor_of_t<X>());
}
// Guards, each for a weight with and without a bias after it (braced options cannot be deduced in a pack), and for the
// bias.
template <class D>
on_device<D> conv2d(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    const Conv2dOptions& = {});
template <class D, class B>
on_device<D> conv2d(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    const B&, const Conv2dOptions& = {});
template <class D, class W>
  requires std::same_as<device_t<W>, D>
on_device<D> conv2d(const on_device<D>&, const W&,
                    typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    const Conv2dOptions& = {});
template <class T, class D>
placed<T, D> conv2d(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                    const Conv2dOptions& = {});
template <class T, class D, class B>
placed<T, D> conv2d(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>, const B&,
                    const Conv2dOptions& = {});
template <class T, class D, class W>
  requires std::same_as<value_type_t<W>, T>
placed<T, D> conv2d(const placed<T, D>&, const W&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                    const Conv2dOptions& = {});
template <Element T, Device D>
  requires(!FloatingElement<T>)
Tensor<T, D> conv2d(const placed<T, D>&,
                    typename operation_undefined_for_elements<internal::operation::Conv2d, T, D>::fix_call_cast,
                    const Conv2dOptions& = {});
template <Element T, Device D, class B>
  requires(!FloatingElement<T>)
Tensor<T, D> conv2d(const placed<T, D>&,
                    typename operation_undefined_for_elements<internal::operation::Conv2d, T, D>::fix_call_cast,
                    const B&, const Conv2dOptions& = {});

}  // namespace situ

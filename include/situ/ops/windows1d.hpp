// SPDX-License-Identifier: Apache-2.0
// Convolution and pooling of signals, which have one axis after their channels: `conv1d max_pool1d avg_pool1d`. A
// signal is treated as an image of one row, without a copy.
#pragma once

#include <concepts>
#include <cstdint>

#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/convolution.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/pooling.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/plan/product.hpp>
#include <situ/plan/window.hpp>

namespace situ {

/// Options of `conv1d`; see `Conv2dOptions`.
struct Conv1dOptions {
  std::int64_t stride = 1;
  std::int64_t padding = 0;  // zeros on each side
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  Precision precision = Precision::full;
};

/// Options of `max_pool1d`; see `MaxPool2dOptions`.
struct MaxPool1dOptions {
  std::int64_t stride = 0;  // 0: the kernel's extent
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
  bool ceil_mode = false;  // windows that reach past the end count
};

/// Options of `avg_pool1d`; see `AvgPool2dOptions`.
struct AvgPool1dOptions {
  std::int64_t stride = 0;  // 0: the kernel's extent
  std::int64_t padding = 0;
  bool ceil_mode = false;         // windows that reach past the end count
  bool count_include_pad = true;  // the zeros of the padding count in the average
  std::int64_t dilation = 1;      // not in PyTorch
};

namespace internal {

namespace operation {
struct Conv1d : functional::OfFloating<Conv1d> {};
struct MaxPool1d : functional::OfFloating<MaxPool1d> {};
struct AvgPool1d : functional::OfFloating<AvgPool1d> {};
}  // namespace operation

template <class X, class W, class... B>
[[nodiscard]] applied_t<X, W, B...> conv1d_of(const Shape* added, const Conv1dOptions& o, const X& x, const W& weight,
                                              const B&... bias) {
  const Shape shape = x.shape(), kernels = weight.shape();
  require_convolution({"conv1d", "length", 1, "signals"}, shape, kernels, added, o.groups);
  static_cast<void>(window_axis(shape[-1], kernels[2], o.stride, o.padding, o.dilation, "conv1d"));
  return squeeze(conv2d(unsqueeze(x, -2), unsqueeze(weight, -2), bias...,
                        {.stride = {1, o.stride},
                         .padding = {0, o.padding},
                         .dilation = {1, o.dilation},
                         .groups = o.groups,
                         .precision = o.precision}),
                 {-2});
}

}  // namespace internal

/// The convolution of signals: `x` has shape (signals, channels, length), or (channels, length) for one signal, the
/// weight (out, channels / groups, kernel), the bias (out,), the result (signals, out, ...) with
/// `(length + 2 padding - dilation (kernel - 1) - 1) / stride + 1` positions, rounded down. Otherwise as `conv2d`.
///
///     Tensor y = conv1d(x, weight, bias, {.padding = 1});   // (n, 3, 8), (16, 3, 3), (16,) -> (n, 16, 8)
template <class X, class W, class B>
  requires internal::Multipliable<X, W> && internal::Multipliable<X, B> && FloatingElement<value_type_t<X>>
[[nodiscard]] applied_t<X, W, B> conv1d(const X& x, const W& weight, const B& bias, const Conv1dOptions& options = {}) {
  const Shape added = bias.shape();
  return internal::conv1d_of(&added, options, x, weight, bias);
}
/// Without a bias.
template <class X, class W>
  requires internal::Multipliable<X, W> && FloatingElement<value_type_t<X>>
[[nodiscard]] applied_t<X, W> conv1d(const X& x, const W& weight, const Conv1dOptions& options = {}) {
  return internal::conv1d_of(nullptr, options, x, weight);
}
// Guards, as in `conv2d`.
template <class D>
on_device<D> conv1d(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    const Conv1dOptions& = {});
template <class D, class B>
on_device<D> conv1d(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    const B&, const Conv1dOptions& = {});
template <class D, class W>
  requires std::same_as<device_t<W>, D>
on_device<D> conv1d(const on_device<D>&, const W&,
                    typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    const Conv1dOptions& = {});
template <class T, class D>
placed<T, D> conv1d(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                    const Conv1dOptions& = {});
template <class T, class D, class B>
placed<T, D> conv1d(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>, const B&,
                    const Conv1dOptions& = {});
template <class T, class D, class W>
  requires std::same_as<value_type_t<W>, T>
placed<T, D> conv1d(const placed<T, D>&, const W&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                    const Conv1dOptions& = {});
template <Element T, Device D>
  requires(!FloatingElement<T>)
Tensor<T, D> conv1d(const placed<T, D>&,
                    typename operation_undefined_for_elements<internal::operation::Conv1d, T, D>::fix_call_cast,
                    const Conv1dOptions& = {});
template <Element T, Device D, class B>
  requires(!FloatingElement<T>)
Tensor<T, D> conv1d(const placed<T, D>&,
                    typename operation_undefined_for_elements<internal::operation::Conv1d, T, D>::fix_call_cast,
                    const B&, const Conv1dOptions& = {});

/// The largest element of each window of signals, (signals, channels, length) or (channels, length); otherwise as
/// `max_pool2d`.
///
///     Tensor y = max_pool1d(x, 2);                                       // (n, 16, 8) -> (n, 16, 4)
template <FloatingTensor X>
[[nodiscard]] applied_t<X> max_pool1d(const X& x, std::int64_t kernel, const MaxPool1dOptions& options = {}) {
  const auto& [stride, padding, dilation, up] = options;
  internal::require_pooling({"max_pool1d", "length", 1, "signals"}, x.shape());
  static_cast<void>(internal::pooling_axis(x.shape()[-1], kernel, stride, padding, dilation, up, "max_pool1d"));
  return squeeze(max_pool2d(unsqueeze(x, -2), {1, kernel}, {{1, stride}, {0, padding}, {1, dilation}, up}), {-2});
}
Tensor<float, Cpu> max_pool1d(operation_undefined_for_elements<internal::operation::MaxPool1d>::fix_call_cast,
                              std::int64_t, const MaxPool1dOptions& = {});

/// The average of each window of signals; otherwise as `avg_pool2d`.
///
///     Tensor y = avg_pool1d(x, 3, {.stride = 1, .padding = 1});
template <FloatingTensor X>
[[nodiscard]] applied_t<X> avg_pool1d(const X& x, std::int64_t kernel, const AvgPool1dOptions& options = {}) {
  const auto& [stride, padding, up, counts_padding, dilation] = options;
  internal::require_pooling({"avg_pool1d", "length", 1, "signals"}, x.shape());
  static_cast<void>(internal::pooling_axis(x.shape()[-1], kernel, stride, padding, dilation, up, "avg_pool1d"));
  const AvgPool2dOptions flat{{1, stride}, {0, padding}, up, counts_padding, {1, dilation}};
  return squeeze(avg_pool2d(unsqueeze(x, -2), {1, kernel}, flat), {-2});
}
Tensor<float, Cpu> avg_pool1d(operation_undefined_for_elements<internal::operation::AvgPool1d>::fix_call_cast,
                              std::int64_t, const AvgPool1dOptions& = {});

}  // namespace situ

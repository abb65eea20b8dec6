// SPDX-License-Identifier: Apache-2.0
// Reductions of variables. `sum` and `mean` read the expression they are given in one pass, as over tensors, and so does
// their gradient; the others evaluate it first, since their gradients read its value.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/composed.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reduce_axes.hpp>
#include <situ/ops/scan.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/plan/reduction.hpp>

namespace situ {

namespace autograd {

/// Which axes of which shape were reduced.
struct Reduced {
  Shape shape;
  std::uint32_t axes = 0;
  KeepDims keep = KeepDims::no;

  Reduced(const Shape& operand, const Axes& which, KeepDims kept, const char* operation)
      : shape(operand), axes(which.of(operand, operation)), keep(kept == KeepDims::yes ? kept : which.keep()) {}

  /// The number of elements that one of the result came from.
  [[nodiscard]] std::int64_t count() const noexcept { return situ::internal::reduced_count(shape, axes); }

  /// A result in the shape that broadcasts against the operand.
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> kept(const Tensor<T, D>& result) const {
    return reshape(result, situ::internal::reduced_shape(shape, axes, KeepDims::yes));
  }
  /// The same in the operand's shape, as a view.
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> expanded(const Tensor<T, D>& result) const {
    return broadcast_to(kept(result), shape);
  }
  /// Reduces a tensor of that shape, extents of 1 in the place of the axes.
  template <class R, TensorLike X>
  [[nodiscard]] auto along(const R& operation, const X& x) const {
    return situ::internal::reduce_axes(operation, x, axes, KeepDims::yes);
  }
};

/// `R` of an expression, `scale` times the gradient of its sum: of `Sum` and `Mean`.
template <class R, Recorded X>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> recorded_sum(const R& operation, const X& x,
                                                                  const Reduced& reduced, double scale) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  using Pull = ExpressionGradients<X, false>;
  return record(situ::internal::reduce_axes(operation, no_grad(x), reduced.axes, reduced.keep), Pull::nodes_of(x),
                [pull = Pull(x, {}), reduced, scale](Pass& pass, const Tensor<T, D>& g) {
                  pull(pass, reduced.expanded(scale == 1 ? g : Tensor<T, D>(g * scale)));
                });
}

/// `a / b`, 0 where `b` is 0.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> quotient_or_zero(const Tensor<T, D>& a, const Tensor<T, D>& b) {
  return where(b == T(0), T(0), a / b);
}

/// A reduction of a variable, recorded with the gradient that `gradient(x, result, g)` gives, the last two in the shape
/// that broadcasts against `x`.
template <class R, Element T, Device D, class Gradient>
[[nodiscard]] Variable<T, D> recorded_reduction(const R& operation, const Variable<T, D>& x, const Reduced& reduced,
                                                Gradient gradient) {
  const Tensor<T, D> value = situ::internal::reduce_axes(operation, x.value(), reduced.axes, reduced.keep);
  return record(value, autograd::nodes_of(x), [=, edge = x.edge(), in = x.value()](Pass& pass, const Tensor<T, D>& g) {
    pass.add(edge, Tensor<T, D>(gradient(in, reduced.kept(value), reduced.kept(g))));
  });
}

/// The product of all elements of a row but each one: by products from both ends, so that zeros do no harm.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> product_of_others(const Tensor<T, D>& rows) {
  const std::int64_t last = rows.shape()[1] - 1;
  const Tensor<T, D> one = ones<T>({rows.shape()[0], 1}, D{});
  const Tensor<T, D> before = cumprod(concat(one, rows(all, range(0, last)), 1), 1);
  const Tensor<T, D> behind = cumprod(concat(one, flip(rows, 1)(all, range(0, last)), 1), 1);
  return before * flip(behind, 1);
}

/// The gradient of a product along axes.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> product_gradient(const Tensor<T, D>& x, const Reduced& reduced, const Tensor<T, D>& g) {
  if (x.size() == 0) return x;
  std::int64_t order[max_rank];  // the axes that stay, then those that go
  std::int64_t inverse[max_rank];
  std::size_t next = 0;
  for (const bool goes : {false, true}) {
    for (int axis = 0; axis < x.rank(); ++axis) {
      if (((reduced.axes >> axis & 1U) != 0) == goes) order[next++] = axis;
    }
  }
  for (std::size_t i = 0; i != next; ++i) inverse[order[i]] = static_cast<std::int64_t>(i);
  const Tensor<T, D> ordered = permute(x, std::span<const std::int64_t>(order, next));
  const std::int64_t length = reduced.count();
  const Tensor<T, D> rows = reshape(ordered, {x.size() / length, length});
  const Tensor<T, D> gradient = product_of_others(rows) * reshape(g, {-1, 1});
  return permute(reshape(gradient, ordered.shape()), std::span<const std::int64_t>(inverse, next));
}

}  // namespace autograd

template <class X>
  requires ReducibleBy<X, internal::reduction::Sum> && Recorded<X>
[[nodiscard]] auto sum(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no) {
  return autograd::recorded_sum(internal::reduction::Sum{}, x, autograd::Reduced(x.shape(), axes, keep, "sum"), 1);
}

template <class X>
  requires ReducibleBy<X, internal::reduction::Mean> && Recorded<X>
[[nodiscard]] auto mean(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no) {
  const autograd::Reduced reduced(x.shape(), axes, keep, "mean");
  return autograd::recorded_sum(internal::reduction::Mean{}, x, reduced, 1.0 / static_cast<double>(reduced.count()));
}

template <class X>
  requires ReducibleBy<X, internal::reduction::Prod> && Recorded<X>
[[nodiscard]] auto prod(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no) {
  const autograd::Reduced reduced(x.shape(), axes, keep, "prod");
  return autograd::recorded_reduction(internal::reduction::Prod{}, autograd::as_variable(x), reduced,
                                      [reduced](const auto& in, const auto&, const auto& g) {
                                        return autograd::product_gradient(in, reduced, g);
                                      });
}

template <class X>
  requires ReducibleBy<X, internal::reduction::Variance> && Recorded<X>
[[nodiscard]] auto var(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no, Ddof ddof = {}) {
  const autograd::Reduced reduced(x.shape(), axes, keep, "var");
  const double scale = 2.0 / (static_cast<double>(reduced.count()) - ddof.value);
  return autograd::recorded_reduction(internal::reduction::Variance{{}, ddof.value}, autograd::as_variable(x), reduced,
                                      [reduced, scale](const auto& in, const auto&, const auto& g) {
                                        const Tensor center = reduced.along(internal::reduction::Mean{}, in);
                                        return eval((in - center) * (g * scale));
                                      });
}
template <class X>
  requires ReducibleBy<X, internal::reduction::Variance> && Recorded<X>
[[nodiscard]] auto var(X&& x, const Axes& axes, Ddof ddof) {
  return var(x, axes, KeepDims::no, ddof);
}
template <class X, std::same_as<Ddof> Given>
  requires ReducibleBy<X, internal::reduction::Variance> && Recorded<X>
[[nodiscard]] auto var(X&& x, Given ddof) {
  return var(x, Axes{}, KeepDims::no, ddof);
}

/// The gradient of a deviation of 0 is 0.
template <class X>
  requires ReducibleBy<X, internal::reduction::StandardDeviation> && Recorded<X>
[[nodiscard]] auto stddev(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no, Ddof ddof = {}) {
  const autograd::Reduced reduced(x.shape(), axes, keep, "stddev");
  const double scale = 1.0 / (static_cast<double>(reduced.count()) - ddof.value);
  return autograd::recorded_reduction(internal::reduction::StandardDeviation{{{}, ddof.value}},
                                      autograd::as_variable(x), reduced,
                                      [reduced, scale](const auto& in, const auto& y, const auto& g) {
                                        const Tensor center = reduced.along(internal::reduction::Mean{}, in);
                                        const Tensor factor = autograd::quotient_or_zero(g, y);
                                        return eval((in - center) * (factor * scale));
                                      });
}
template <class X>
  requires ReducibleBy<X, internal::reduction::StandardDeviation> && Recorded<X>
[[nodiscard]] auto stddev(X&& x, const Axes& axes, Ddof ddof) {
  return stddev(x, axes, KeepDims::no, ddof);
}
template <class X, std::same_as<Ddof> Given>
  requires ReducibleBy<X, internal::reduction::StandardDeviation> && Recorded<X>
[[nodiscard]] auto stddev(X&& x, Given ddof) {
  return stddev(x, Axes{}, KeepDims::no, ddof);
}

namespace autograd {

/// The gradient of a smallest or largest element: equal ones share it.
struct ShareAmongEqual {
  Reduced reduced;

  template <class T, class D>
  Tensor<T, D> operator()(const Tensor<T, D>& in, const Tensor<T, D>& y, const Tensor<T, D>& g) const {
    const Tensor<std::int64_t, D> count = reduced.along(internal::reduction::Sum{}, in == y);
    return where(in == y, g / cast<T>(count), T(0));
  }
};

}  // namespace autograd

/// Elements that are equally small share the gradient.
template <class X>
  requires ReducibleBy<X, internal::reduction::Min> && Recorded<X>
[[nodiscard]] auto min(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no) {
  const autograd::Reduced reduced(x.shape(), axes, keep, "min");
  return autograd::recorded_reduction(internal::reduction::Min{}, autograd::as_variable(x), reduced,
                                      autograd::ShareAmongEqual{reduced});
}

/// Elements that are equally large share the gradient.
template <class X>
  requires ReducibleBy<X, internal::reduction::Max> && Recorded<X>
[[nodiscard]] auto max(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no) {
  const autograd::Reduced reduced(x.shape(), axes, keep, "max");
  return autograd::recorded_reduction(internal::reduction::Max{}, autograd::as_variable(x), reduced,
                                      autograd::ShareAmongEqual{reduced});
}

/// The gradient of a norm of 0 is 0.
template <class X>
  requires ReducibleBy<X, internal::reduction::Norm2> && Recorded<X>
[[nodiscard]] auto norm(X&& x, const NormAxes& axes = {}, KeepDims keep = KeepDims::no) {
  return autograd::recorded_reduction(internal::reduction::Norm2{}, autograd::as_variable(x),
                                      autograd::Reduced(x.shape(), axes, keep, "norm"),
                                      [](const auto& in, const auto& y, const auto& g) {
                                        return eval(in * autograd::quotient_or_zero(g, y));
                                      });
}

/// Positions have no gradient: they are those in the values.
template <class X>
  requires ReducibleBy<X, internal::reduction::ArgMin> && Recorded<X>
[[nodiscard]] auto argmin(X&& x, KeepDims keep = KeepDims::no) {
  return argmin(no_grad(x), keep);
}
template <class X>
  requires ReducibleBy<X, internal::reduction::ArgMin> && Recorded<X>
[[nodiscard]] auto argmin(X&& x, std::int64_t axis, KeepDims keep = KeepDims::no) {
  return argmin(no_grad(x), axis, keep);
}
template <class X>
  requires ReducibleBy<X, internal::reduction::ArgMax> && Recorded<X>
[[nodiscard]] auto argmax(X&& x, KeepDims keep = KeepDims::no) {
  return argmax(no_grad(x), keep);
}
template <class X>
  requires ReducibleBy<X, internal::reduction::ArgMax> && Recorded<X>
[[nodiscard]] auto argmax(X&& x, std::int64_t axis, KeepDims keep = KeepDims::no) {
  return argmax(no_grad(x), axis, keep);
}

template <FloatingTensor X>
  requires Recorded<X>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> logsumexp(const X& x, const Axes& axes = {},
                                                              KeepDims keep = KeepDims::no) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const autograd::Reduced reduced(x.shape(), axes, keep, "logsumexp");
  const Variable<T, D> in = autograd::as_variable(x);
  const Tensor<T, D> value = logsumexp(in.value(), axes, keep);
  return autograd::record(value, autograd::nodes_of(in),
                          [=, edge = in.edge(), x = in.value()](autograd::Pass& pass, const Tensor<T, D>& g) {
                            const Tensor<T, D> y = reduced.kept(value);
                            pass.add(edge, Tensor<T, D>(reduced.kept(g) * exp(x - where(isfinite(y), y, T(0)))));
                          });
}

}  // namespace situ

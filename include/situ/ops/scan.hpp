// SPDX-License-Identifier: Apache-2.0
// Prefix sums and products (scans) along one axis: `cumsum cumprod`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/lower.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/reduction.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

template <class R, class X>
[[nodiscard]] auto scanned(const R& operation, const X& x, int axis) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  using Out = typename R::template result<T>;
  if constexpr (ComplexElement<T>) {
    return scan_complex(operation, Tensor<T, D>(no_grad(x)), axis);  // in situ/complex.hpp
  } else {
    const auto& operand = readable(x);
    using Read = std::remove_cvref_t<decltype(operand)>;
    const Shape shape = operand.shape();
    Storage<D> storage = allocate_elements<Out, D>(shape);
    if (shape.count() > 0) {
      const auto operands = operands_of(operand, shape);
      const auto program = lower(operand);
      call_kernel<D, kernels::Scan, Scans<backend_t<D>, R, T>>(
          [&](auto backend) {
            scan<T>(backend, operation, program, std::span<const program::Operand>(operands.data(), leaf_count<Read>),
                    shape, axis, storage.data());
          },
          writes<Out>(storage), reads(operand));
    }
    return Tensor<Out, D>(std::move(storage), Layout::row_major(shape));
  }
}

/// The axis of a scan in angle brackets, or without an axis: the only one of a vector. NumPy flattens instead, which
/// hides mistakes.
template <int... Axis>
[[nodiscard]] std::int64_t only_axis(const Shape& shape, const char* name) {
  if constexpr (sizeof...(Axis) == 1) return (Axis + ...);
  if (shape.rank() == 1) return 0;
  throw IndexError(std::string(name) + ": name the axis of shape " + shape.to_string() +
                   "; only a tensor of rank 1 needs none");
}

/// The result type of a running sum or product of `X`.
template <class X>
using scanned_t = applied_as_t<reduction::sum_t<value_type_t<X>>, X>;

/// The suffix sums along an axis: of all elements from each one on.
template <TensorLike X>
[[nodiscard]] auto sums_from(const X& x, int axis) {
  return flip(scanned(reduction::Sum{}, flip(x, axis), axis), axis);
}

namespace operation {

struct Scan {
  static constexpr bool keeps_layout = true;
  template <Element T>
  static constexpr bool accepts = reduction::Sum::accepts<T>;
  template <Element T>
  using result = reduction::sum_t<T>;
};

struct CumSum : Scan {
  template <Element T>  // but for those that it widens: their terms have already wrapped around
  static constexpr bool linear = FloatingElement<T> || std::same_as<T, std::int64_t>;
  int axis;

  template <TensorLike X>
  [[nodiscard]] auto operator()(const X& x) const {
    return scanned(reduction::Sum{}, x, axis);
  }
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape&) const {
    return sums_from(g, axis);
  }
};

struct CumProd : Scan {
  int axis;

  template <TensorLike X>
  [[nodiscard]] auto operator()(const X& x) const {
    return scanned(reduction::Prod{}, x, axis);
  }

  /// Before the first zero of a row it is the sum of `g y` from there on, divided by x; at the first zero, the same
  /// with a one in place of that zero; after it 0.
  static constexpr unsigned gradient_reads = reads::result | reads::operand<0>;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& y, const Tensor<T, D>& x) const {
    return conjugated(gradient_of(conjugated(g), y, x));
  }

 private:
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient_of(const Tensor<T, D>& g, const Tensor<T, D>& y, const Tensor<T, D>& x) const {
    const Tensor<std::int64_t, D> zeros_so_far = cumsum(cast<std::int64_t>(x == T(0)), axis);
    const Tensor<bool, D> first_zero = zeros_so_far == 1 && x == T(0);
    const Tensor<T, D> without = cumprod(where(first_zero, T(1), x), axis);
    const Tensor<T, D> at_zero = sums_from(g * without, axis);
    const Tensor<T, D> before_zero = sums_from(g * y, axis);
    return where(zeros_so_far == 0, before_zero / x, where(first_zero, at_zero, T(0)));
  }
};

}  // namespace operation

}  // namespace internal

/// The prefix sums along an axis, of all elements up to each one; the shape is unchanged. `bool` and integers give
/// `int64`, which wraps; floats accumulate in `double` and round to the element type. The axis may be omitted for rank
/// 1. Throws `IndexError` for an axis out of range.
///
///     cumsum(tensor({1.f, 2.f, 3.f}))    // 1 3 6
template <TensorLike X>
  requires internal::OperandAlong<X, internal::reduction::Sum>
[[nodiscard]] internal::scanned_t<X> cumsum(const X& x, std::int64_t axis) {
  const internal::operation::CumSum operation{{}, internal::normalize_axis(axis, x.shape().rank(), "cumsum")};
  return internal::apply_to<internal::scanned_t<X>>(operation, x);
}
/// For a tensor of rank 1, or along `Axis`.
template <int... Axis, internal::OperandAlong<internal::operation::CumSum, Axis...> X>
[[nodiscard]] internal::along_t<internal::operation::CumSum, X, Axis...> cumsum(const X& x) {
  return internal::along<internal::operation::CumSum, Axis...>(
      x, [](const auto& part) { return cumsum(part, internal::only_axis<Axis...>(part.shape(), "cumsum")); });
}

/// The prefix products along an axis; see `cumsum`.
template <TensorLike X>
  requires internal::OperandAlong<X, internal::reduction::Sum>
[[nodiscard]] internal::scanned_t<X> cumprod(const X& x, std::int64_t axis) {
  const internal::operation::CumProd operation{{}, internal::normalize_axis(axis, x.shape().rank(), "cumprod")};
  return internal::apply_to<internal::scanned_t<X>>(operation, x);
}
/// For a tensor of rank 1, or along `Axis`.
template <int... Axis, internal::OperandAlong<internal::operation::CumProd, Axis...> X>
[[nodiscard]] internal::along_t<internal::operation::CumProd, X, Axis...> cumprod(const X& x) {
  return internal::along<internal::operation::CumProd, Axis...>(
      x, [](const auto& part) { return cumprod(part, internal::only_axis<Axis...>(part.shape(), "cumprod")); });
}

}  // namespace situ

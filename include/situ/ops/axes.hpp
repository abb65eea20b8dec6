// SPDX-License-Identifier: Apache-2.0
// Composed of other structure operations: `moveaxis swapaxes repeat diff trace`. The functions they call exist for
// tensors and for variables, so gradients need nothing more here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/rearrange.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/structure.hpp>

namespace situ {

/// Moves axis `from` to position `to`, the others keep their order: a view. Throws `IndexError` for an axis out of
/// range.
///
///     Tensor image = moveaxis(rgb, -1, 0);     // (height, width, 3) -> (3, height, width)
template <TensorLike X>
[[nodiscard]] auto moveaxis(X&& x, std::int64_t from, std::int64_t to) {
  const int rank = x.shape().rank();
  const int source = internal::normalize_axis(from, rank, "moveaxis"),
            target = internal::normalize_axis(to, rank, "moveaxis");
  std::array<std::int64_t, internal::max_rank> axes{};
  for (int at = 0, next = 0; at < rank; ++at) {
    if (next == source) ++next;
    axes[static_cast<std::size_t>(at)] = at == target ? source : next++;
  }
  return permute(std::forward<X>(x), std::span<const std::int64_t>(axes.data(), static_cast<std::size_t>(rank)));
}

/// Moves several axes at once: axis `from[i]` to position `to[i]`. Throws `ShapeError` for lists of different length,
/// `IndexError` for an axis that is named twice.
///
///     Tensor image = moveaxis(batch, {0, 3}, {3, 1});   // (n, height, width, 3) -> (height, 3, width, n)
template <TensorLike X>
[[nodiscard]] auto moveaxis(X&& x, std::span<const std::int64_t> from, std::span<const std::int64_t> to) {
  const Shape& shape = x.shape();
  if (from.size() != to.size()) {
    throw ShapeError("moveaxis: " + std::to_string(from.size()) + " axes to " + std::to_string(to.size()) +
                     " positions; name a position for each axis");
  }
  const std::uint32_t moved = ReduceAxes(from).of(shape, "moveaxis"), taken = ReduceAxes(to).of(shape, "moveaxis");
  std::array<std::int64_t, internal::max_rank> axes{};
  for (std::size_t i = 0; i < from.size(); ++i) {
    const int target = internal::normalize_axis(to[i], shape.rank(), "moveaxis");
    axes[static_cast<std::size_t>(target)] = internal::normalize_axis(from[i], shape.rank(), "moveaxis");
  }
  for (int at = 0, next = 0; at < shape.rank(); ++at) {
    if ((taken >> at & 1U) != 0) continue;
    while ((moved >> next & 1U) != 0) ++next;
    axes[static_cast<std::size_t>(at)] = next++;
  }
  return permute(std::forward<X>(x), std::span(axes).first(static_cast<std::size_t>(shape.rank())));
}
template <TensorLike X>
[[nodiscard]] auto moveaxis(X&& x, std::initializer_list<std::int64_t> from, std::initializer_list<std::int64_t> to) {
  return moveaxis(std::forward<X>(x), std::span<const std::int64_t>(from.begin(), from.size()),
                  std::span<const std::int64_t>(to.begin(), to.size()));
}

/// Exchanges two axes: a view; another name for `transpose(x, a, b)`.
template <TensorLike X>
[[nodiscard]] auto swapaxes(X&& x, std::int64_t a, std::int64_t b) {
  return transpose(std::forward<X>(x), a, b);
}

/// Repeats every position of an axis `count` times, copies next to each other; without an axis every element, in
/// row-major order, as one axis. As numpy.repeat and torch.repeat_interleave; `tile` repeats the whole. Throws
/// `ValueError` for a negative count.
///
///     repeat(tensor({1, 2}), 3, 0)     // 1 1 1 2 2 2
template <TensorLike X>
[[nodiscard]] auto repeat(X&& x, std::int64_t count, std::int64_t axis) {
  Shape shape = x.shape();
  const int a = internal::normalize_axis(axis, shape.rank(), "repeat");
  if (count < 0) throw ValueError("repeat: " + std::to_string(count) + " is not a count; it must be 0 or more");
  // before the axis, the axis, the copies, after it
  const Shape folded{shape.count(0, a), shape[a], 1, shape.count(a + 1, shape.rank())};
  const Shape copies{folded[0], folded[1], count, folded[3]};
  shape.set(a, internal::product_of_extents(shape[a], count, "repeat"));
  return reshape(broadcast_to(reshape(std::forward<X>(x), folded), copies), shape);
}
template <int Axis, internal::OperandAlong<internal::operation::MovesAlong, Axis> X>
[[nodiscard]] auto repeat(const X& x, std::int64_t count) {
  return internal::along<internal::operation::MovesAlong, Axis>(
      x, [count](const auto& part) { return repeat(part, count, Axis); });
}
template <TensorLike X>
[[nodiscard]] auto repeat(X&& x, std::int64_t count) {
  return repeat(flatten(std::forward<X>(x)), count, 0);
}

namespace internal {

/// The differences of neighbors along an axis of a tensor or variable `x`.
template <class X>
[[nodiscard]] X differences(const X& x, std::int64_t axis) {
  const int a = normalize_axis(axis, x.rank(), "diff");
  const std::int64_t extent = x.shape()[a];
  if (extent == 0) return x;
  return narrow(x, a, 1, extent - 1) - narrow(x, a, 0, extent - 1);
}

}  // namespace internal

/// The differences of neighbors along an axis, by default the last: `x(1) - x(0)`, `x(2) - x(1)`, ..., one fewer than
/// there are positions. Integers wrap. For numbers; NumPy's second argument is the order, here it is the axis.
///
///     diff(tensor({1, 4, 9, 16}))      // 3 5 7
template <TensorLike X>
  requires NumberElement<value_type_t<X>>
[[nodiscard]] applied_t<X> diff(const X& x, std::int64_t axis = -1) {
  return internal::differences(eval(x), axis);
}
namespace internal::operation {
struct Diff : functional::OfNumbers<Diff> {
  static constexpr bool keeps_layout = true;
  template <Element T>
  static constexpr bool linear = true;
};
}  // namespace internal::operation
template <int Axis, internal::OperandAlong<internal::operation::Diff, Axis> X>
[[nodiscard]] auto diff(const X& x) {
  return internal::along<internal::operation::Diff, Axis>(x, [](const auto& part) { return diff(part, Axis); });
}
template <class... Rest>
Tensor<float, Cpu> diff(operation_undefined_for_elements<internal::operation::Diff>::fix_call_cast, const Rest&...);

/// The sum of the diagonal of the last two axes (see `diagonal`), for every matrix of a batch; `bool` and integers
/// return `int64`, as in `sum`.
///
///     trace(eye(3)).item()             // 3
template <TensorLike X>
[[nodiscard]] auto trace(X&& x, std::int64_t offset = 0) {
  return sum(diagonal(std::forward<X>(x), offset), -1);
}

}  // namespace situ

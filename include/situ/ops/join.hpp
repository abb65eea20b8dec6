// SPDX-License-Identifier: Apache-2.0
// Joining tensors: concat, stack. Expressions are computed directly into their place in the result, without a tensor of
// their own.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/nodes.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// Arguments of `concat(a, b, axis)`: operands, and an optional axis after them.
template <class... X>
struct JoinArguments {
  static constexpr std::size_t operands = (std::size_t{0} + ... + (TensorLike<X> ? 1 : 0));
  using last = std::tuple_element_t<sizeof...(X) - 1, std::tuple<std::remove_cvref_t<X>...>>;
  static constexpr bool has_axis = std::integral<last> && !std::same_as<last, bool>;
  static constexpr bool valid = operands + (has_axis ? 1 : 0) == sizeof...(X) && operands > 0;
};

/// The positions of the operands among the arguments.
template <class... X>
using operands_of_join = std::make_index_sequence<JoinArguments<X...>::operands>;

/// Operands of one device and element type that can be joined, with an optional axis as the last argument.
template <class First, class... Rest>
concept Joinable =
    TensorLike<First> && JoinArguments<First, Rest...>::valid &&
    ((!TensorLike<Rest> || agrees<std::remove_cvref_t<Rest>, value_type_t<First>, device_t<First>>) && ...);

/// The shape of the joined operands, checked one by one.
class JoinedShape {
 public:
  JoinedShape(const Shape& first, std::int64_t axis, const char* operation, bool new_axis)
      : first_(first),
        axis_(normalize_axis(axis, first.rank() + (new_axis ? 1 : 0), operation)),
        operation_(operation),
        new_axis_(new_axis) {}

  void add(const Shape& shape) {
    bool fits = shape.rank() == first_.rank();
    for (int i = 0; fits && i < shape.rank(); ++i) fits = shape[i] == first_[i] || (i == axis_ && !new_axis_);
    if (!fits) {
      throw ShapeError(std::string(operation_) + ": operand " + std::to_string(count_) + " has shape " +
                       shape.to_string() + ", operand 0 has " + first_.to_string() +
                       (new_axis_ ? "; all shapes must be equal"
                                  : "; all extents but that of axis " + std::to_string(axis_) + " must be equal"));
    }
    ++count_;
    extent_ = sum_of_extents(extent_, new_axis_ ? 1 : shape[axis_], operation_);
  }

  [[nodiscard]] int axis() const noexcept { return axis_; }
  [[nodiscard]] Shape shape() const {
    Shape shape = first_;
    if (new_axis_) shape.insert(axis_, extent_);
    else shape.set(axis_, extent_);
    return shape.checked();
  }

 private:
  Shape first_;
  int axis_;
  const char* operation_;
  bool new_axis_;
  int count_ = 0;
  std::int64_t extent_ = 0;
};

/// Writes operands one after the other along an axis of a new tensor; along a new axis if `Stack`.
template <bool Stack, Element T, Device D>
class Joiner {
 public:
  explicit Joiner(const JoinedShape& joined)
      : axis_(joined.axis()),
        layout_(Layout::row_major(joined.shape())),
        storage_(allocate_elements<T, D>(layout_.shape)) {}

  template <class X>
  void add(const X& x) {
    const std::int64_t extent = Stack ? 1 : x.shape()[axis_];
    Layout part = sliced(layout_, axis_, position_, position_ + extent);
    if constexpr (Stack) part = without_axis(part, axis_);
    assign(storage_, part, x);
    position_ += extent;
  }
  [[nodiscard]] Tensor<T, D> result() { return Tensor<T, D>(std::move(storage_), layout_); }

 private:
  int axis_;
  Layout layout_;
  Storage<D> storage_;
  std::int64_t position_ = 0;
};

namespace operation {

/// Joins any number of tensors along an axis, a new one if `Stack`.
template <bool Stack>
struct Join {
  static constexpr bool takes_any_number = true;
  static constexpr const char* name = Stack ? "stack" : "concat";
  std::int64_t axis;

  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> operator()(std::span<const Tensor<T, D>> tensors) const {
    if (tensors.empty()) {
      throw ShapeError(std::string(name) + ": there are no tensors, so the result has no shape; pass at least one");
    }
    JoinedShape joined(tensors[0].shape(), axis, name, Stack);
    for (const Tensor<T, D>& tensor : tensors) joined.add(tensor.shape());
    Joiner<Stack, T, D> joiner(joined);
    for (const Tensor<T, D>& tensor : tensors) joiner.add(tensor);
    return joiner.result();
  }
  template <TensorLike First, TensorLike... Rest>
  [[nodiscard]] tensor_of_t<First> operator()(const First& first, const Rest&... rest) const {
    JoinedShape joined(first.shape(), axis, name, Stack);
    joined.add(first.shape());
    (joined.add(rest.shape()), ...);
    Joiner<Stack, value_type_t<First>, device_t<First>> joiner(joined);
    joiner.add(readable(first));
    (joiner.add(readable(rest)), ...);
    return joiner.result();
  }

  /// The parts of `g` that belong to operands with these shapes.
  template <Element T, Device D>
  [[nodiscard]] std::vector<Tensor<T, D>> gradients(const Tensor<T, D>& g, std::span<const Shape> operands) const {
    const int a = normalize_axis(axis, g.rank(), name);
    std::vector<Tensor<T, D>> parts;
    std::int64_t begin = 0;
    for (const Shape& operand : operands) {
      const std::int64_t end = begin + (Stack ? 1 : operand[a]);
      Layout part = sliced(g.layout(), a, begin, end);
      if constexpr (Stack) part = without_axis(part, a);
      parts.emplace_back(g.storage(), part);
      begin = end;
    }
    return parts;
  }
};

}  // namespace operation

/// `concat(a, b, axis)`: applies the operation to the operands; the argument after them, if any, is the axis.
template <bool Stack, class First, class... Rest, std::size_t... At>
[[nodiscard]] applied_t<First, Rest...> join(const std::tuple<const First&, const Rest&...>& arguments,
                                             std::index_sequence<At...>) {
  std::int64_t axis = 0;
  if constexpr (sizeof...(At) <= sizeof...(Rest)) axis = static_cast<std::int64_t>(std::get<sizeof...(At)>(arguments));
  return apply(operation::Join<Stack>{axis}, std::get<At>(arguments)...);
}

/// A vector, array or span of tensors or variables.
template <class R>
concept TensorRange = requires(const R& range) {
  std::span(range);
  requires TensorType<typename decltype(std::span(range))::value_type> ||
               TensorHolder<typename decltype(std::span(range))::value_type>;
};
/// For the library: the type of an item that is joined.
template <TensorRange R>
using item_t = typename decltype(std::span(std::declval<const R&>()))::value_type;

}  // namespace internal

/// The operands one after the other along an existing axis: 0, or an integer after them. Other extents must be equal
/// (else `ShapeError`). Tensors of one type may be in braces, as in Python's `concatenate([a, b], 1)`.
///
///     Tensor x = concat(a, b + 1, c, 1);
///     Tensor y = concat({a, b, c}, 1);
///     Tensor z = concat(list_of_tensors, 1);   // a std::vector, array or span
template <class First, class... Rest>
  requires internal::Joinable<First, Rest...>
[[nodiscard]] applied_t<First, Rest...> concat(const First& first, const Rest&... rest) {
  return internal::join<false>(std::tie(first, rest...), internal::operands_of_join<First, Rest...>{});
}
/// Joins those of a vector, array or span.
template <internal::TensorRange R>
[[nodiscard]] internal::item_t<R> concat(const R& tensors, std::int64_t axis = 0) {
  return internal::apply_to_all(internal::operation::Join<false>{axis}, std::span<const internal::item_t<R>>(tensors));
}
/// Joins those in braces.
template <class X>
  requires TensorType<X> || internal::TensorHolder<X>
[[nodiscard]] X concat(std::initializer_list<X> tensors, std::int64_t axis = 0) {
  return concat(std::span<const X>(tensors.begin(), tensors.size()), axis);
}
Tensor<float, Cpu> concat(operands_in_braces_have_different_types::fix_write_them_without_braces, std::int64_t = 0);
template <class D, class... Rest>
on_device<D> concat(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    const Rest&...);
template <class D, class... Rest>
on_device<D> concat(const on_device<D>&, const on_device<D>&,
                    typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const Rest&...);
template <class D, class... Rest>
on_device<D> concat(const on_device<D>&, const on_device<D>&, const on_device<D>&,
                    typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const Rest&...);
template <class T, class D, class... Rest>
placed<T, D> concat(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                    const Rest&...);
template <class T, class D, class... Rest>
placed<T, D> concat(const placed<T, D>&, const placed<T, D>&,
                    typename element_types_differ<T, D>::template fix_call_cast<T>, const Rest&...);
template <class T, class D, class... Rest>
placed<T, D> concat(const placed<T, D>&, const placed<T, D>&, const placed<T, D>&,
                    typename element_types_differ<T, D>::template fix_call_cast<T>, const Rest&...);

/// The operands, all of one shape, along a new axis: 0, or an integer after them; -1 appends it.
///
///     Tensor batch = stack(first, second);   // (h, w) -> (2, h, w)
template <class First, class... Rest>
  requires internal::Joinable<First, Rest...>
[[nodiscard]] applied_t<First, Rest...> stack(const First& first, const Rest&... rest) {
  return internal::join<true>(std::tie(first, rest...), internal::operands_of_join<First, Rest...>{});
}
/// Joins those of a vector, array or span.
template <internal::TensorRange R>
[[nodiscard]] internal::item_t<R> stack(const R& tensors, std::int64_t axis = 0) {
  return internal::apply_to_all(internal::operation::Join<true>{axis}, std::span<const internal::item_t<R>>(tensors));
}
/// Joins those in braces.
template <class X>
  requires TensorType<X> || internal::TensorHolder<X>
[[nodiscard]] X stack(std::initializer_list<X> tensors, std::int64_t axis = 0) {
  return stack(std::span<const X>(tensors.begin(), tensors.size()), axis);
}
Tensor<float, Cpu> stack(operands_in_braces_have_different_types::fix_write_them_without_braces, std::int64_t = 0);
template <class D, class... Rest>
on_device<D> stack(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                   const Rest&...);
template <class D, class... Rest>
on_device<D> stack(const on_device<D>&, const on_device<D>&,
                   typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const Rest&...);
template <class D, class... Rest>
on_device<D> stack(const on_device<D>&, const on_device<D>&, const on_device<D>&,
                   typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const Rest&...);
template <class T, class D, class... Rest>
placed<T, D> stack(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>, const Rest&...);
template <class T, class D, class... Rest>
placed<T, D> stack(const placed<T, D>&, const placed<T, D>&,
                   typename element_types_differ<T, D>::template fix_call_cast<T>, const Rest&...);
template <class T, class D, class... Rest>
placed<T, D> stack(const placed<T, D>&, const placed<T, D>&, const placed<T, D>&,
                   typename element_types_differ<T, D>::template fix_call_cast<T>, const Rest&...);

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// Parts of an axis, as views: split, narrow, select.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/view.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal::operation {

/// Positions `[begin, end)` of an axis.
struct Slice : View<Slice> {
  static constexpr bool is_part = true;
  int axis;
  std::int64_t begin, end;

  [[nodiscard]] Layout layout(const Layout& x) const { return sliced(x, axis, begin, end); }
};

}  // namespace internal::operation

/// Consecutive parts of an axis, as views: of the given sizes, which must add up to the extent, or `parts` of equal
/// size, at most 2^24, which must divide the extent. Throws `ShapeError` otherwise.
///
///     std::vector parts = split(x, 3);               // three equal parts of axis 0
///     std::vector parts = split(x, {2, 5}, -1);      // the first two columns and the other five
template <TensorLike X>
[[nodiscard]] std::vector<applied_t<X>> split(X&& x, std::span<const std::int64_t> sizes, std::int64_t axis = 0) {
  const applied_t<X> whole = eval(std::forward<X>(x));
  const int a = internal::normalize_axis(axis, whole.rank(), "split");
  const std::int64_t extent = whole.shape()[a];
  std::vector<applied_t<X>> parts;
  parts.reserve(sizes.size());
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > extent - begin) {
      throw ShapeError("split: part " + std::to_string(parts.size()) + " of axis " + std::to_string(axis) +
                       " of shape " + whole.shape().to_string() + " is to have " + std::to_string(size) +
                       " positions, but " + std::to_string(extent - begin) + " are left");
    }
    parts.push_back(internal::apply(internal::operation::Slice{{}, a, begin, begin + size}, whole));
    begin += size;
  }
  if (begin != extent) {
    throw ShapeError("split: the sizes add up to " + std::to_string(begin) + ", but axis " + std::to_string(axis) +
                     " of shape " + whole.shape().to_string() + " has " + std::to_string(extent) +
                     " positions; every position must be in one part");
  }
  return parts;
}
/// The same with the sizes in braces.
template <TensorLike X>
[[nodiscard]] std::vector<applied_t<X>> split(X&& x, std::initializer_list<std::int64_t> sizes, std::int64_t axis = 0) {
  return split(std::forward<X>(x), std::span<const std::int64_t>(sizes.begin(), sizes.size()), axis);
}

namespace internal {

/// The advice of an error for parts that cannot be equal: the call with nearly equal sizes, if it is short.
[[nodiscard]] inline std::string sizes_instead(std::int64_t extent, std::int64_t parts, std::int64_t axis) {
  if (parts <= 0) return "; there must be one or more";
  if (parts > 8) return "; give the sizes, in a vector";
  std::string sizes;
  for (std::int64_t i = 0; i < parts; ++i) {
    sizes += (i == 0 ? "" : ", ") + std::to_string(extent / parts + (i < extent % parts ? 1 : 0));
  }
  return "; give the sizes, split(x, {" + sizes + "}" + (axis == 0 ? ")" : ", " + std::to_string(axis) + ")");
}

}  // namespace internal

namespace internal {

/// The extent of each of `parts` equal parts of an axis; throws `ShapeError` if there are none.
[[nodiscard]] inline std::int64_t extent_of_part(const Shape& shape, std::int64_t parts, std::int64_t axis) {
  const std::int64_t extent = shape[normalize_axis(axis, shape.rank(), "split")];
  constexpr std::int64_t most = std::int64_t{1} << 24;  // an axis of extent 0 divides into any number
  if (parts > most) {
    throw ShapeError("split: axis " + std::to_string(axis) + " of shape " + shape.to_string() + " into " +
                     std::to_string(parts) + " parts; at most " + std::to_string(most) +
                     " tensors are made, and narrow(x, axis, start, length) takes one part");
  }
  if (parts <= 0 || extent % parts != 0) {
    throw ShapeError("split: axis " + std::to_string(axis) + " of shape " + shape.to_string() + " has " +
                     std::to_string(extent) + " positions, which do not divide into " + std::to_string(parts) +
                     " equal parts" + sizes_instead(extent, parts, axis));
  }
  return extent / parts;
}

template <class X, std::size_t... At>
[[nodiscard]] std::array<X, sizeof...(At)> equal_parts(std::index_sequence<At...>, const X& x, std::int64_t each,
                                                       int axis) {
  const auto part = [&](std::int64_t i) { return apply(operation::Slice{{}, axis, i * each, (i + 1) * each}, x); };
  return {part(static_cast<std::int64_t>(At))...};
}

}  // namespace internal

/// Into equal parts.
template <TensorLike X>
[[nodiscard]] std::vector<applied_t<X>> split(X&& x, std::int64_t parts, std::int64_t axis = 0) {
  const std::int64_t each = internal::extent_of_part(x.shape(), parts, axis);
  const std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), each);
  return split(std::forward<X>(x), std::span<const std::int64_t>(sizes), axis);
}
/// The same in an array, whose length is known when the program is compiled: no memory is allocated.
///
///     auto [q, k, v] = split<3>(projected, -1);
template <std::int64_t Parts, TensorLike X>
  requires(Parts >= 1 && Parts <= 64)
[[nodiscard]] std::array<applied_t<X>, static_cast<std::size_t>(Parts)> split(X&& x, std::int64_t axis = 0) {
  const applied_t<X> whole = eval(std::forward<X>(x));
  const std::int64_t each = internal::extent_of_part(whole.shape(), Parts, axis);
  const int a = internal::normalize_axis(axis, whole.shape().rank(), "split");
  return internal::equal_parts(std::make_index_sequence<static_cast<std::size_t>(Parts)>(), whole, each, a);
}

/// `length` positions of an axis from `start` on, a view; the axis may be known only at run time, unlike in
/// `x(all, range(a, b))`. A negative start counts from the end. Throws `IndexError` for positions out of range.
///
///     Tensor window = narrow(x, axis, t, 100);
template <TensorLike X>
[[nodiscard]] applied_t<X> narrow(X&& x, std::int64_t axis, std::int64_t start, std::int64_t length) {
  const Shape shape = x.shape();
  const int a = internal::normalize_axis(axis, shape.rank(), "narrow");
  const std::int64_t begin = start < 0 ? start + shape[a] : start;
  if (begin < 0 || begin > shape[a] || length < 0 || length > shape[a] - begin) {
    throw IndexError("narrow: " + std::to_string(length) + " positions from " + std::to_string(start) +
                     " on are out of range for axis " + std::to_string(axis) + " with extent " +
                     std::to_string(shape[a]) + " of shape " + shape.to_string());
  }
  return internal::apply(internal::operation::Slice{{}, a, begin, begin + length}, std::forward<X>(x));
}

/// One position of an axis, which is removed: a view; see `narrow`.
///
///     Tensor step = select(sequence, time_axis, t);
template <TensorLike X>
[[nodiscard]] applied_t<X> select(X&& x, std::int64_t axis, std::int64_t position) {
  const Shape shape = x.shape();
  const int a = internal::normalize_axis(axis, shape.rank(), "select");
  return squeeze(narrow(std::forward<X>(x), a, internal::checked_position(position, shape[a], a, shape), 1), a);
}

}  // namespace situ

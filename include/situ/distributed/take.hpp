// SPDX-License-Identifier: Apache-2.0
// Reading spread values by index: `take gather one_hot`; see ops/gather.hpp and ops/one_hot.hpp. For a table whose rows
// are cut, `take` returns a `Partial`: each device has its own rows, and zeros for the others.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/algebra.hpp>
#include <situ/distributed/axis.hpp>
#include <situ/distributed/axis_guards.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/axes_of.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/one_hot.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>

namespace situ {

/// Indices whose layout does not match that of the table: "fix: call all_gather(indices)", or spread them like the
/// table.
template <class TableLayout, class IndicesLayout>
struct indices_do_not_go_with_the_table {
  struct fix_call_all_gather {};
};

namespace internal {

/// The layout of `take` along `Axis`, which is replaced by the axes of the indices.
template <int Axis, class Table, class Indices>
struct TakeLayout {
  using type = Refused;
};
template <int Axis, class Table>
struct TakeLayout<Axis, Table, Replicated> {
  using type = Table;  // the same elements of every term are read
};
template <int Axis, int Cut>
struct TakeLayout<Axis, Sharded<Cut>, Replicated> {
  using type = std::conditional_t<Axis == Cut, Partial<>, Sharded<Cut>>;
};
template <int Axis, int Cut>
struct TakeLayout<Axis, Replicated, Sharded<Cut>> {
  using type = Sharded<Axis + Cut>;
};
template <int Axis>
struct TakeLayout<Axis, Local, Local> {
  using type = Local;
};
template <int Axis>
struct TakeLayout<Axis, Replicated, Local> {
  using type = Local;
};
template <int Axis, class X, class Indices>
using take_layout_t = typename TakeLayout<Axis, layout_t<X>, layout_t<Indices>>::type;

/// A spread value and indices over the same mesh.
template <class X, class Indices>
concept SpreadWithIndices =
    SpreadLike<X> && SpreadLike<Indices> && std::same_as<spread_mesh_t<X>, spread_mesh_t<Indices>> &&
    IntegerElement<spread_element_t<Indices>>;
template <int Axis, class X, class Indices>
concept SpreadTakes =
    is_axis_number(Axis) && SpreadWithIndices<X, Indices> && SpreadLayout<take_layout_t<Axis, X, Indices>> &&
    (NumberElement<spread_element_t<X>> || sharded_axis<layout_t<X>> != Axis);

/// Reads the piece at `begin` of a table of `count` positions by indices of the table: zeros for those of other pieces.
/// Throws `IndexError` for an index that is in none.
template <int Axis>
struct TakeFromPiece {
  std::int64_t count, begin;

  template <TensorLike X, TensorLike Indices>
  [[nodiscard]] applied_t<X> operator()(const X& x, const Indices& indices) const {
    using T = value_type_t<X>;
    using D = device_t<X>;
    const applied_t<X> piece = eval(x);
    const std::int64_t extent = piece.shape()[Axis];
    const Tensor<std::int64_t, D> wanted = cast<std::int64_t>(indices);
    const Tensor<std::int64_t, D> from_front = where(wanted < 0, wanted + count, wanted);
    const Tensor<bool, D> here = from_front >= begin && from_front < begin + extent;
    // an index that is out of range for the whole is so for each piece, which throws
    const Tensor<std::int64_t, D> own =
        where(here, from_front - begin, where(from_front >= 0 && from_front < count, std::int64_t{0}, wanted));
    const applied_t<X> rows = take(extent == 0 && count > 0 ? with_a_position(piece) : piece, own, Axis);
    Shape mask = here.shape();
    for (int axis = Axis + 1; axis < piece.rank(); ++axis) mask.push_back(1);
    return eval(where(reshape(here, mask), rows, T(0)));
  }

 private:
  /// An empty piece with one position, of zeros: indices of other pieces need something to read, too.
  template <class X>
  [[nodiscard]] static X with_a_position(const X& empty) {
    Shape shape = empty.shape();
    shape.set(Axis, 1);
    return concat(empty, zeros<value_type_t<X>>(shape, device_t<X>{}), std::int64_t{Axis});
  }
};

template <int Axis, class X, class Indices, std::size_t... At>
[[nodiscard]] auto take_from_pieces(const Shape& shape, const X& x, const Indices& indices,
                                    std::index_sequence<At...>) {
  const std::int64_t count = x.shape()[Axis];
  const EvenSplit pieces(count, x.mesh().size());
  return make_spread<Partial<>>(common_mesh(x, indices), shape,
                                std::tuple(TakeFromPiece<Axis>{count, pieces.begin(x.mesh().first() + At)}(
                                    std::get<At>(x.parts()), std::get<At>(indices.parts()))...));
}

/// The shape of `take`.
[[nodiscard]] inline Shape taken_shape(const Shape& x, const Shape& indices, int axis) {
  Shape shape;
  for (int i = 0; i < axis; ++i) shape.push_back(x[i]);
  for (const std::int64_t extent : indices) shape.push_back(extent);
  for (int i = axis + 1; i < x.rank(); ++i) shape.push_back(x[i]);
  return shape.checked();
}

}  // namespace internal

/// The positions `indices` of axis `Axis`, which is replaced by the axes of `indices`. For a table cut along that axis
/// the result is a `Partial`, and the elements must be numbers. If a later axis is cut, the indices must be a vector,
/// else `ShapeError`: another rank would move that axis. Throws `IndexError` for an index out of range.
///
///     Spread vectors = take<0>(embedding, tokens);               // both Replicated, or tokens Sharded<k>: as tokens
///     Spread pieces = reduce_scatter<0>(take<0>(rows, tokens));  // rows Sharded<0>, tokens Replicated: Partial<>, cut
template <int Axis, class X, class Indices>
  requires internal::SpreadTakes<Axis, X, Indices>
[[nodiscard]] auto take(const X& x, const Indices& indices) {
  constexpr int cut = internal::sharded_axis<layout_t<X>>;
  static_cast<void>(internal::normalize_axis(Axis, x.rank(), "take"));
  const Shape shape = internal::taken_shape(x.shape(), indices.shape(), Axis);
  if constexpr (cut == Axis) {
    return internal::take_from_pieces<Axis>(shape, x, indices,
                                            std::make_index_sequence<internal::spread_mesh_t<X>::local>{});
  } else {
    if (cut > Axis && indices.rank() != 1) {
      throw ShapeError("take: indices of shape " + indices.shape().to_string() + " would renumber the axis of " +
                       x.shape().to_string() + " that is cut (" + internal::LayoutFacts<layout_t<X>>::name() +
                       "); flatten them, and reshape the result");
    }
    return internal::map_parts<internal::take_layout_t<Axis, X, Indices>>(
        shape, [](const auto& part, const auto& at) { return take(part, at, Axis); }, x, indices);
  }
}

namespace internal {

/// Why a table and indices do not match.
template <class L, class Indices>
struct IndicesMismatch {};
template <class L, class T, class Other, class Mesh>
  requires IntegerElement<T> && (!std::same_as<Other, Replicated>)
struct IndicesMismatch<L, spread_over<T, Other, Mesh>> {
  using type = typename indices_do_not_go_with_the_table<L, Other>::fix_call_all_gather;
};
template <class L, class T, ReduceOp Op, class Mesh>
struct IndicesMismatch<L, spread_over<T, Partial<Op>, Mesh>> {
  using type = a_partial_sum_is_not_a_value::fix_call_all_reduce;
};

}  // namespace internal

/// The guard's class: "the indices do not fit: see Reason".
template <class TableLayout>
struct the_indices_do_not_fit {
  struct see_Reason {
    template <class T, class L, class Mesh,
              class Reason = typename internal::IndicesMismatch<TableLayout, spread_over<T, L, Mesh>>::type>
    see_Reason(const spread_over<T, L, Mesh>&) = delete;
    template <class T, class D, class Reason = a_tensor_stands_beside_a_spread_value::fix_call_replicate_or_shard>
    see_Reason(const placed<T, D>&) = delete;
  };
};
template <int Axis, class T, class L, class M>
never_made take(const spread_over<T, L, M>&, typename the_indices_do_not_fit<L>::see_Reason);

namespace internal {

/// Layouts of `gather`: indices in the layout of the value, or replicated beside terms.
template <int Axis, class X, class Indices>
concept SpreadGathers = SpreadWithIndices<X, Indices> && SpreadAlong<X, Axis> &&
                        ((std::same_as<layout_t<X>, layout_t<Indices>> && !is_partial<layout_t<X>>) ||
                         (is_partial<layout_t<X>> && std::same_as<layout_t<Indices>, Replicated>));

}  // namespace internal

/// For every position of `indices`, the element of `x` at that position, with its coordinate along `Axis` replaced by
/// the index. All other extents must be those of `x`, else `ShapeError`: nothing broadcasts.
///
///     Spread sorted = gather<1>(x, argsort<1>(x));
template <int Axis, class X, class Indices>
  requires internal::SpreadGathers<Axis, X, Indices>
[[nodiscard]] auto gather(const X& x, const Indices& indices) {
  Shape shape = x.shape();
  static_cast<void>(internal::normalize_axis(Axis, shape.rank(), "gather"));
  if (indices.rank() == shape.rank()) shape.set(Axis, indices.extent(Axis));
  if (!(indices.shape() == shape)) {
    throw ShapeError("gather: shape " + x.shape().to_string() + " and indices of shape " + indices.shape().to_string() +
                     "; for spread values all extents except along axis " + std::to_string(Axis) + " must be equal");
  }
  return internal::map_parts<layout_t<X>>(
      shape, [](const auto& part, const auto& at) { return gather(part, Axis, at); }, x, indices);
}
template <int Axis, class Indices>
never_made gather(typename the_axis_is_cut<internal::AxesOf<Axis>>::fix_call_all_gather_or_reshard, const Indices&);
template <int Axis, class T, class L, class M>
  requires(internal::sharded_axis<L> != Axis)
never_made gather(const spread_over<T, L, M>&, typename the_indices_do_not_fit<L>::see_Reason);

/// A last axis of `classes` positions, 1 at the label and 0 elsewhere.
template <Element T = float, SpreadLike X>
  requires IntegerElement<internal::spread_element_t<X>> && (!internal::is_partial<layout_t<X>>)
[[nodiscard]] auto one_hot(const X& labels, std::int64_t classes) {
  Shape shape = labels.shape();
  shape.push_back(classes);
  return internal::map_parts<layout_t<X>>(
      shape, [classes](const auto& part) { return one_hot<T>(part, classes); }, labels);
}
template <Element T = float>
never_made one_hot(a_partial_sum_is_not_a_value::fix_call_all_reduce, std::int64_t);

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// From tensors to spread values and back: `shard replicate as partial gather local`.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/error.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/distributed/device_collectives.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/distributed/replicas.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/distributed/without_form.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/ops/creation.hpp>
#include <situ/tensor/index.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

namespace internal {

/// Values that can be sent to other devices: a tensor, a part of one, an expression.
template <class X>
concept Sendable = TensorLike<X> && !Recorded<X>;

/// A spread value that records no gradients: its parts are tensors and expressions.
template <class... Part>
[[nodiscard]] constexpr bool records_any(const std::tuple<Part...>*) noexcept {
  return (Recorded<Part> || ...);
}
template <class X>
concept SpreadTensor =
    SpreadLike<X> && !records_any(static_cast<typename std::remove_cvref_t<X>::parts_type*>(nullptr));
/// ... of this layout.
template <class X, class Layout>
concept SpreadTensorIn = SpreadTensor<X> && std::same_as<layout_t<X>, Layout>;

/// The `Spread` in layout `L` that operations on `X` return.
template <class L, class X>
using spread_like_t = typename spread_mesh_t<X>::template spread<spread_element_t<X>, L>;

inline void require_axis(int axis, const Shape& shape, const char* operation) {
  if (axis < shape.rank()) return;
  throw ShapeError(std::string(operation) + "<" + std::to_string(axis) + ">: shape " + shape.to_string() +
                   " has no axis " + std::to_string(axis) + " to cut; axes count from 0 at the front" +
                   (shape.rank() == 0 ? "; a value of rank 0 has none: replicate it" : ""));
}

/// The part with positions `range` along axis `Axis`, of a tensor or a variable.
template <int Axis, class X, std::size_t... Before>
[[nodiscard]] auto sliced_along(const X& x, const IndexRange& range, std::index_sequence<Before...>) {
  return x((static_cast<void>(Before), All{})..., range);
}
template <int Axis, class X>
[[nodiscard]] auto sliced_along(const X& x, const IndexRange& range) {
  return sliced_along<Axis>(x, range, std::make_index_sequence<static_cast<std::size_t>(Axis)>{});
}

/// The pieces of a tensor for the local parts of a mesh.
template <int Axis, class T, Device From, class Mesh, class... D, std::size_t... At>
[[nodiscard]] std::tuple<Tensor<T, D>...> cut(const Tensor<T, From>& x, const Mesh& mesh, std::tuple<D...>,
                                              std::index_sequence<At...>) {
  const EvenSplit pieces(x.shape()[Axis], mesh.size());
  return {sliced_along<Axis>(x, pieces[mesh.first() + At]).template to<D>()...};
}
template <int Axis, class X, class Mesh>
[[nodiscard]] auto cut(const X& x, const Mesh& mesh) {
  const Tensor<value_type_t<X>, device_t<X>> tensor = eval(x);
  return cut<Axis>(tensor, mesh, typename Mesh::devices{}, std::make_index_sequence<Mesh::local>{});
}

/// The shape of the whole that these parts form. Throws `ShapeError` if they form none.
template <SpreadLayout L>
[[nodiscard]] Shape whole_shape(std::span<const Shape> shapes) {
  Shape whole = shapes[0];
  constexpr int axis = sharded_axis<L>;
  if constexpr (axis >= 0) {
    require_axis(axis, whole, "as<Sharded");
    std::int64_t extent = 0;
    for (const Shape& shape : shapes)
      extent = sum_of_extents(extent, shape.rank() == whole.rank() ? shape[axis] : 0, "as<Sharded");
    whole.set(axis, extent);
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape wanted = part_shape<L>(whole, i, shapes.size());
    if (shapes[i] == wanted) continue;
    throw ShapeError("as<" + LayoutFacts<L>::name() + ">: part " + std::to_string(i) + " has shape " +
                     shapes[i].to_string() + ", but " +
                     (axis < 0 ? "part 0 has " + wanted.to_string() + "; all shapes must be equal"
                               : "a value of shape " + whole.to_string() + " cut into " +
                                     std::to_string(shapes.size()) + " parts has " + wanted.to_string() +
                                     " there; parts must be as even as possible, the longer ones first"));
  }
  return whole;
}

}  // namespace internal

/// Cuts a tensor along an axis, counted from the front: one piece for each device, in the order of the arguments. The
/// pieces have equal extents, the first ones one more if the extent does not divide evenly, as in numpy.array_split;
/// with fewer positions than devices the last pieces are empty. Throws `ShapeError` for an axis that does not exist.
///
/// A piece on the device of `x` shares its storage, the others are copied as by `to`: from `Pinned` and from a GPU all
/// copies are in flight when `shard` returns, from `Cpu` each is staged in turn.
///
///     Spread x = shard<0>(batch, gpu<0>, gpu<1>);   // of shape (5, n): (3, n) on cuda:0 and (2, n) on cuda:1
template <int Axis, class X, Device... D>
  requires(sizeof...(D) > 0 && internal::Sendable<X>)
[[nodiscard]] Spread<value_type_t<X>, Sharded<Axis>, D...> shard(const X& x, D...) {
  const internal::movement::WholeCall whole("shard", {});
  internal::require_axis(Axis, x.shape(), "shard");
  return {{}, x.shape(), internal::cut<Axis>(x, internal::DeviceMesh<D...>{})};
}
/// Each device takes its piece of a value that it has already: nothing is moved, and the storage is shared.
template <int Axis, SpreadLike X>
  requires std::same_as<layout_t<X>, Replicated>
[[nodiscard]] auto shard(const X& x) {
  internal::require_axis(Axis, x.shape(), "shard");
  if constexpr (checked_build && internal::SpreadTensor<X>) {
    internal::check_replicas(x.mesh(), eval(x).parts(), "shard");
  }
  const internal::EvenSplit pieces(x.shape()[Axis], x.mesh().size());
  return internal::map_numbered_parts<Sharded<Axis>>(
      x.shape(),
      [&](std::size_t number, const auto& part) { return internal::sliced_along<Axis>(part, pieces[number]); }, x);
}

template <int Axis>
never_made shard(a_partial_sum_is_not_a_value::fix_call_all_reduce);
// The guards of `shard` and `replicate`: the call has no devices, or the tensor belongs to a variable.
template <int Axis>
never_made shard(the_call_names_no_devices::fix_write_them_behind_the_tensor);
template <int Axis, class... D>
  requires(sizeof...(D) > 0)
never_made shard(sending_would_lose_the_gradient::fix_call_no_grad, D...);
template <class... Where>
never_made shard(the_call_names_no_axis::fix_write_it_in_angle_brackets, const Where&...);
template <int Axis, class First, class... Rest>
never_made shard(the_value_is_spread_already::fix_call_all_gather_or_reshard, const First&, const Rest&...);

/// The tensor on each of the devices, in the order of the arguments. On its own device it shares storage.
///
///     Spread w = replicate(weights, gpu<0>, gpu<1>);
template <class X, Device... D>
  requires(sizeof...(D) > 0 && internal::Sendable<X>)
[[nodiscard]] Spread<value_type_t<X>, Replicated, D...> replicate(const X& x, D...) {
  const internal::movement::WholeCall whole("replicate", {});
  const Tensor<value_type_t<X>, device_t<X>> tensor = eval(x);
  return {{}, tensor.shape(), std::tuple<Tensor<value_type_t<X>, D>...>{tensor.template to<D>()...}};
}
never_made replicate(the_call_names_no_devices::fix_write_them_behind_the_tensor);
template <class... D>
  requires(sizeof...(D) > 0)
never_made replicate(sending_would_lose_the_gradient::fix_call_no_grad, D...);
template <class... Where>
never_made replicate(the_value_is_spread_already::fix_call_all_gather_or_reshard, const Where&...);
template <class... Where>
never_made replicate(a_partial_sum_is_not_a_value::fix_call_all_reduce, const Where&...);

/// States the layout of tensors that the program has on several devices; nothing is moved. Throws `ShapeError` for
/// shapes that parts in that layout cannot have: those of a `Sharded` are as `shard` cuts, all others are equal, except
/// for a `Local`.
///
///     Spread x = as<Sharded<0>>(rows0, rows1);      // on cuda:0 and cuda:1
///     Spread g = as<Partial<>>(gradient0, gradient1);
template <SpreadLayout L, class First, class... Rest>
  requires(internal::Sendable<First> && (internal::Sendable<Rest> && ...) &&
           (std::same_as<value_type_t<First>, value_type_t<Rest>> && ...))
[[nodiscard]] Spread<value_type_t<First>, L, device_t<First>, device_t<Rest>...> as(const First& first,
                                                                                    const Rest&... rest) {
  using T = value_type_t<First>;
  std::tuple<Tensor<T, device_t<First>>, Tensor<T, device_t<Rest>>...> parts{eval(first), eval(rest)...};
  Shape shape = first.shape();
  if constexpr (!std::same_as<L, Local>) {
    shape = internal::whole_shape<L>(std::array<Shape, 1 + sizeof...(Rest)>{first.shape(), rest.shape()...});
  }
  using Mesh = internal::DeviceMesh<device_t<First>, device_t<Rest>...>;
  if constexpr (std::same_as<L, Replicated>) internal::check_replicas(Mesh{}, parts, "as<Replicated>");
  return {{}, shape, std::move(parts)};
}
template <SpreadLayout L, class T, class D, class... Rest>
never_made as(const placed<T, D>&, typename element_types_of_the_parts_differ<T>::template fix_call_cast<T>,
              const Rest&...);
template <SpreadLayout L>
never_made as(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <SpreadLayout L>
never_made as(the_value_is_spread_already::fix_call_all_gather_or_reshard);

/// A replicated value as a sum that is not summed yet: part 0 keeps it, the others are 0. Moves nothing; `all_reduce`
/// reverses it.
template <internal::SpreadTensorIn<Replicated> X>
[[nodiscard]] auto partial(const X& x) {
  if constexpr (checked_build) internal::check_replicas(x.mesh(), eval(x).parts(), "partial");
  return internal::map_numbered_parts<Partial<>>(
      x.shape(),
      [](std::size_t number, const auto& part) {
        return number == 0 ? situ::eval(part) : zeros<value_type_t<decltype(part)>>(part.shape(), part.device());
      },
      x);
}
never_made partial(a_sharded_value_is_no_sum::fix_call_all_gather);
never_made partial(a_local_value_is_no_part_of_a_whole::fix_say_by_as_what_it_is);

/// The parts on their devices, a tuple of tensors (over ranks, the tensor of this process), for work that does not
/// concern the whole. Nothing is moved.
template <internal::SpreadTensor X>
[[nodiscard]] auto local(const X& x) {
  if constexpr (internal::spread_mesh_t<X>::of_ranks) return std::get<0>(eval(x).parts());
  else return eval(x).parts();
}

/// The whole value on one device: the pieces joined, or the first of equal parts. Does not compile for a `Partial`
/// (call `all_reduce` first) or a `Local`.
///
///     Tensor y = gather(x, cpu);                    // equal to the tensor that `shard` cut
template <internal::SpreadTensor X, Device To>
  requires(!internal::spread_mesh_t<X>::of_ranks &&
           (std::same_as<layout_t<X>, Replicated> || internal::is_sharded<layout_t<X>>))
[[nodiscard]] Tensor<internal::spread_element_t<X>, To> gather(const X& x, To device,
                                                               CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("gather", site);
  const auto value = eval(x);
  if constexpr (internal::is_sharded<layout_t<X>>) {
    return value.mesh().template gather<internal::sharded_axis<layout_t<X>>>(value.parts(), value.shape(), device);
  } else {
    internal::check_replicas(value.mesh(), value.parts(), "gather");
    return std::get<0>(value.parts()).to(device);
  }
}
template <Device To>
Tensor<float, To> gather(a_partial_sum_is_not_a_value::fix_call_all_reduce, To);
Tensor<float, Cpu> gather(the_call_names_no_device::fix_write_it_behind_the_value);
template <Device To>
Tensor<float, To> gather(a_local_value_is_no_part_of_a_whole::fix_say_by_as_what_it_is, To);

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// The collectives of spread variables. The gradient of each is another of them: `all_reduce` is its own,
// `reduce_scatter` and `all_gather` are each other's, `reshard<a>` is that of `reshard<b>`. In the backward pass they
// run in the reverse order of the tape.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/call_site.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/at_site.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/place.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/join.hpp>
#include <situ/parallel/joint.hpp>
#include <situ/parallel/variable.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// A collective on the parts of a mesh; `Of` is a struct with the collective itself and its reverse. It reports the
/// call site of the collective.
template <class Mesh, class Of>
struct ReverseCollective {
  [[no_unique_address]] Mesh mesh;
  Shape shape;
  CallSite site;

  template <class Parts>
  [[nodiscard]] Parts operator()(const Parts& gradients) const {
    const AtSite here(site);
    return Of::reverse(mesh, gradients, shape);
  }
};

struct AllReduceSum {
  template <class Mesh, class Parts>
  [[nodiscard]] static Parts forward(const Mesh& mesh, const Parts& parts, const Shape&) {
    return mesh.template all_reduce<ReduceOp::sum>(parts);
  }
  template <class Mesh, class Parts>
  [[nodiscard]] static Parts reverse(const Mesh& mesh, const Parts& gradients, const Shape& shape) {
    return forward(mesh, gradients, shape);
  }
};
template <int Axis>
struct ReduceScatterSum {
  template <class Mesh, class Parts>
  [[nodiscard]] static Parts forward(const Mesh& mesh, const Parts& parts, const Shape&) {
    return mesh.template reduce_scatter<ReduceOp::sum, Axis>(parts);
  }
  template <class Mesh, class Parts>
  [[nodiscard]] static Parts reverse(const Mesh& mesh, const Parts& gradients, const Shape& shape) {
    return mesh.template all_gather<Axis>(gradients, shape);
  }
};
template <int Axis>
struct AllGather {
  template <class Mesh, class Parts>
  [[nodiscard]] static Parts forward(const Mesh& mesh, const Parts& parts, const Shape& shape) {
    return ReduceScatterSum<Axis>::reverse(mesh, parts, shape);
  }
  template <class Mesh, class Parts>
  [[nodiscard]] static Parts reverse(const Mesh& mesh, const Parts& gradients, const Shape& shape) {
    return ReduceScatterSum<Axis>::forward(mesh, gradients, shape);
  }
};
template <int From, int To>
struct Reshard {
  template <class Mesh, class Parts>
  [[nodiscard]] static Parts forward(const Mesh& mesh, const Parts& parts, const Shape& shape) {
    return mesh.template all_to_all<From, To>(parts, shape);
  }
  template <class Mesh, class Parts>
  [[nodiscard]] static Parts reverse(const Mesh& mesh, const Parts& gradients, const Shape& shape) {
    return Reshard<To, From>::forward(mesh, gradients, shape);
  }
};

/// The collective `Of` on a spread variable, recorded as one node.
template <class Of, class Result, RecordedSpread X>
[[nodiscard]] auto recorded_collective(const X& x, CallSite site) {
  const AtSite here(site);
  using Mesh = spread_mesh_t<X>;
  const auto variable = recorded_spread(x);
  const Mesh& mesh = variable.mesh();
  auto values = Of::forward(mesh, autograd::values_of(variable.parts()), variable.shape());
  return make_spread<Result>(mesh, variable.shape(),
                             autograd::record_joint(variable.parts(), std::move(values),
                                                    ReverseCollective<Mesh, Of>{mesh, variable.shape(), site}));
}

template <class X>
concept RecordedSum = RecordedSpread<X> && std::same_as<layout_t<X>, Partial<ReduceOp::sum>>;
template <class X>
concept RecordedShards = RecordedSpread<X> && is_sharded<layout_t<X>>;

}  // namespace internal

/// The sum, on every device, with its gradient; see `all_reduce` of a `Spread`. The largest and the smallest have no
/// gradient: use `no_grad`.
template <internal::RecordedSum X>
[[nodiscard]] auto all_reduce(const X& x, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("all_reduce", site);
  return internal::recorded_collective<internal::AllReduceSum, Replicated>(x, site);
}
template <int Axis, internal::RecordedSum X>
[[nodiscard]] auto reduce_scatter(const X& x, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("reduce_scatter", site);
  internal::require_axis(Axis, x.shape(), "reduce_scatter");
  return internal::recorded_collective<internal::ReduceScatterSum<Axis>, Sharded<Axis>>(x, site);
}
template <internal::RecordedShards X>
[[nodiscard]] auto all_gather(const X& x, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("all_gather", site);
  return internal::recorded_collective<internal::AllGather<internal::sharded_axis<layout_t<X>>>, Replicated>(x, site);
}
template <int Axis, internal::RecordedShards X>
[[nodiscard]] auto reshard(const X& x, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("reshard", site);
  internal::require_axis(Axis, x.shape(), "reshard");
  return internal::recorded_collective<internal::Reshard<internal::sharded_axis<layout_t<X>>, Axis>, Sharded<Axis>>(
      x, site);
}

/// A replicated variable as a pending sum; see `partial` of a `Spread`.
template <RecordedSpread X>
  requires std::same_as<layout_t<X>, Replicated>
[[nodiscard]] auto partial(const X& x) {
  return internal::map_numbered_parts<Partial<>>(
      x.shape(),
      [](std::size_t number, const auto& part) {
        const auto variable = autograd::as_variable(part);
        if constexpr (internal::spread_mesh_t<X>::of_ranks) {
          return autograd::own_or_zeros(variable, number == 0, variable.shape());
        } else {
          if (number == 0) return variable;
          using V = std::remove_cvref_t<decltype(variable)>;
          using T = typename V::value_type;
          return situ::constant(zeros<T>(variable.shape(), typename V::device_type{}));
        }
      },
      x);
}

/// The variables of the parts, on their devices, a tuple (with ranks, the part of this process); see `local` of a
/// `Spread`.
template <RecordedSpread X>
[[nodiscard]] auto local(const X& x) {
  const auto variable = internal::recorded_spread(x);
  if constexpr (internal::spread_mesh_t<X>::of_ranks) return std::get<0>(variable.parts());
  else return variable.parts();
}

/// States how variables on several devices form one value; see `as` of tensors.
///
///     SpreadVariable loss = as<Partial<>>(loss0, loss1);
template <SpreadLayout L, class First, class... Rest>
  requires(Recorded<First> && (Recorded<Rest> && ...) && (std::same_as<value_type_t<First>, value_type_t<Rest>> && ...))
[[nodiscard]] SpreadVariable<value_type_t<First>, L, device_t<First>, device_t<Rest>...> as(const First& first,
                                                                                            const Rest&... rest) {
  Shape shape = first.shape();
  if constexpr (!std::same_as<L, Local>) {
    shape = internal::whole_shape<L>(std::array<Shape, 1 + sizeof...(Rest)>{first.shape(), rest.shape()...});
  }
  return {{}, shape, std::tuple(autograd::as_variable(first), autograd::as_variable(rest)...)};
}

/// The whole value on one device, as a variable whose gradient goes back to the parts; see `gather` of a `Spread`.
template <RecordedSpread X, Device To>
  requires(!internal::spread_mesh_t<X>::of_ranks &&
           (std::same_as<layout_t<X>, Replicated> || internal::is_sharded<layout_t<X>>))
[[nodiscard]] Variable<internal::spread_element_t<X>, To> gather(const X& x, To device) {
  const auto variable = internal::recorded_spread(x);
  if constexpr (std::same_as<layout_t<X>, Replicated>) {
    return std::get<0>(variable.parts()).to(device);
  } else {
    return std::apply(
        [&](const auto&... part) {
          return concat(std::vector{part.to(device)...}, internal::sharded_axis<layout_t<X>>);
        },
        variable.parts());
  }
}

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// `nn::ColumnParallelLinear` and `nn::RowParallelLinear`: a layer whose weight is divided, as in Megatron-LM (Shoeybi
// et al. 2019).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/distributed/place.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/nn/linear.hpp>
#include <situ/nn/module.hpp>
#include <situ/ops/linear.hpp>
#include <situ/parallel/joint.hpp>
#include <situ/parallel/modules.hpp>
#include <situ/parallel/variable.hpp>

namespace situ::nn {

namespace detail {

/// A spread operand of this element type, layout and mesh.
template <class X, class T, class Layout, class Mesh>
concept SpreadInput = SpreadLike<X> && std::same_as<situ::internal::spread_element_t<X>, T> &&
                      std::same_as<layout_t<X>, Layout> && std::same_as<situ::internal::spread_mesh_t<X>, Mesh>;

/// Checks the last axis against the type; throws `ShapeError` if the rank does not fit.
inline void require_last_axis(int axis, const Shape& shape, const char* layer, const char* fix) {
  if (axis == shape.rank() - 1) return;
  throw ShapeError(std::string(layer) + ": for an input of shape " + shape.to_string() + " axis " +
                   std::to_string(shape.rank() - 1) + " is the last, not " + std::to_string(axis) + "; " + fix);
}
inline void require_features(std::int64_t features, const Shape& input, const Shape& weight, const char* layer) {
  if (input.rank() > 0 && input[-1] == features) return;
  throw ShapeError(std::string(layer) + ": shape " + input.to_string() + " and a weight of shape " +
                   weight.to_string() + " do not fit; the last axis of the input must have " +
                   std::to_string(features) + " positions");
}

}  // namespace detail

/// `x W^T + b` with each device computing some of the outputs: the weight (out, in) and the bias (out) are
/// `Sharded<0>`, the input is `Replicated`, the result `Sharded` along its last axis. The forward pass does not
/// communicate; in the backward pass the gradient of the input is a `Partial<>`, which the next `all_reduce` below it
/// on the tape, or `all_reduce(gradients)`, sums.
///
///     auto up = nn::column_parallel(nn::Linear(768, 3072, generator), gpu<0>, gpu<1>);
///     auto down = nn::row_parallel(nn::Linear(3072, 768, generator), gpu<0>, gpu<1>);
///     SpreadVariable y = all_reduce(down(gelu(up(x))));
template <FloatingElement T, class... Where>
class ColumnParallelLinear : public Module<ColumnParallelLinear<T, Where...>> {
  using Mesh = situ::internal::mesh_t<Where...>;

 public:
  SpreadVariable<T, Sharded<0>, Where...> weight;
  SpreadVariable<T, Sharded<0>, Where...> bias;  // empty without one

  ColumnParallelLinear() = default;
  explicit ColumnParallelLinear(const Spread<T, Sharded<0>, Where...>& weights) : weight(weights) {}
  ColumnParallelLinear(const Spread<T, Sharded<0>, Where...>& weights, const Spread<T, Sharded<0>, Where...>& biases)
      : weight(weights), bias(biases) {}

  /// For an input (rows, in): `Sharded<1>`. Throws `ShapeError` for one of another rank: see `along`.
  template <detail::SpreadInput<T, Replicated, Mesh> X>
  [[nodiscard]] auto operator()(const X& x) const {
    return along<1>(x);
  }
  never_made operator()(this_layer_takes_an_input_in_layout<Replicated>::fix_call_all_gather) const;
  never_made operator()(this_layer_takes_an_input_in_layout<Replicated>::fix_call_replicate) const;
  never_made operator()(a_partial_sum_is_not_a_value::fix_call_all_reduce) const;
  /// For an input of rank `Axis + 1`: `layer.along<2>(x)` for shape (batch, length, in).
  template <int Axis, detail::SpreadInput<T, Replicated, Mesh> X>
  [[nodiscard]] auto along(const X& x) const {
    detail::require_last_axis(Axis, x.shape(), "ColumnParallelLinear",
                              "the last axis is that of the outputs: call layer.along<axis>(x)");
    detail::require_features(weight.shape()[1], x.shape(), weight.shape(), "ColumnParallelLinear");
    Shape shape = x.shape();
    shape.set(Axis, weight.shape()[0]);
    if (bias.size() == 0) {
      return situ::internal::map_parts<Sharded<Axis>>(
          shape, [](const auto& in, const auto& w) { return linear(in, w); }, x, weight);
    }
    return situ::internal::map_parts<Sharded<Axis>>(
        shape, [](const auto& in, const auto& w, const auto& b) { return linear(in, w, b); }, x, weight, bias);
  }

  static constexpr auto members() {
    return nn::members("weight", &ColumnParallelLinear::weight, "bias", &ColumnParallelLinear::bias);
  }
};

/// `x W^T + b` with each device using some of the inputs: the weight (out, in) is `Sharded<1>`, the input `Sharded`
/// along its last axis, the result `Partial<>`, for the caller to `all_reduce` or `reduce_scatter`. The bias (out) is
/// `Replicated`, and the first device adds it.
template <FloatingElement T, class... Where>
class RowParallelLinear : public Module<RowParallelLinear<T, Where...>> {
  using Mesh = situ::internal::mesh_t<Where...>;

 public:
  SpreadVariable<T, Sharded<1>, Where...> weight;
  SpreadVariable<T, Replicated, Where...> bias;  // empty without one

  RowParallelLinear() = default;
  explicit RowParallelLinear(const Spread<T, Sharded<1>, Where...>& weights) : weight(weights) {}
  RowParallelLinear(const Spread<T, Sharded<1>, Where...>& weights, const Spread<T, Replicated, Where...>& biases)
      : weight(weights), bias(biases) {}

  template <SpreadLike X>
    requires detail::SpreadInput<X, T, layout_t<X>, Mesh> && situ::internal::is_sharded<layout_t<X>>
  [[nodiscard]] SpreadVariable<T, Partial<>, Where...> operator()(const X& x) const {
    detail::require_last_axis(situ::internal::sharded_axis<layout_t<X>>, x.shape(), "RowParallelLinear",
                              "the input must be sharded along its features: call reshard");
    detail::require_features(weight.shape()[1], x.shape(), weight.shape(), "RowParallelLinear");
    Shape shape = x.shape();
    shape.set(shape.rank() - 1, weight.shape()[0]);
    const bool biased = bias.size() > 0;
    return situ::internal::map_all_numbered_parts<Partial<>>(
        shape,
        [biased](std::size_t number, const auto& in, const auto& w, const auto& b) {
          if (!biased) return linear(in, w);
          if (Mesh::of_ranks) return linear(in, w, autograd::own_or_zeros(b, number == 0, b.shape()));
          return number == 0 ? linear(in, w, b) : linear(in, w);
        },
        x, weight, bias);
  }
  never_made operator()(this_layer_takes_an_input_in_layout<Sharded<1>>::fix_call_shard) const;
  never_made operator()(this_layer_takes_an_input_in_layout<Sharded<1>>::fix_call_reduce_scatter) const;

  static constexpr auto members() {
    return nn::members("weight", &RowParallelLinear::weight, "bias", &RowParallelLinear::bias);
  }
};

/// A layer divided by outputs, over devices or over the ranks of a group, each of which takes its piece of its copy of
/// the layer.
template <FloatingElement T, Device From, class... Where>
  requires(sizeof...(Where) > 0)
[[nodiscard]] auto column_parallel(const Linear<T, From>& layer, const Where&... where) {
  const auto weight = shard<0>(layer.weight.value(), where...);
  if (!layer.has_bias()) return ColumnParallelLinear(weight);
  return ColumnParallelLinear(weight, shard<0>(layer.bias.value(), where...));
}
/// A layer divided by inputs, likewise. The bias is that of the first rank.
template <FloatingElement T, Device From, class... Where>
  requires(sizeof...(Where) > 0)
[[nodiscard]] auto row_parallel(const Linear<T, From>& layer, const Where&... where) {
  const auto weight = shard<1>(layer.weight.value(), where...);
  if (!layer.has_bias()) return RowParallelLinear(weight);
  return RowParallelLinear(weight, replicate(layer.bias.value(), where...));
}

}  // namespace situ::nn

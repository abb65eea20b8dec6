// SPDX-License-Identifier: Apache-2.0
// The exchange of gradients of replicated parameters, as functions of one type: a pass knows its parameters only as
// nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/pass.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/device_collectives.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/distributed/side_stream.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/structure.hpp>
#include <situ/parallel/joint.hpp>
#include <situ/tensor/index.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

/// A spread gradient, as a node of the graph receives it.
template <Element T, class Layout, class Mesh>
struct HeldSpread final : autograd::AnyTensor {
  using Spread = typename Mesh::template spread<T, Layout>;
  explicit HeldSpread(Spread held) : spread(std::move(held)) {}
  Spread spread;
};

/// The part of a reduction that remains after the pass; called with the same gradients. Empty if nothing remains.
using RestOfReduction = std::function<void(std::span<std::unique_ptr<autograd::AnyTensor>* const> gradients)>;

/// Replaces pending sums of one type and returns what remains to be done; `beside`: overlaps other work of the devices.
using Reduction = RestOfReduction (*)(std::span<std::unique_ptr<autograd::AnyTensor>* const> gradients, bool beside);

/// Sums on every device, by one collective. Over ranks, `beside` runs in the thread of asynchronous collectives.
template <Element T, class Mesh>
RestOfReduction reduce_together(std::span<std::unique_ptr<autograd::AnyTensor>* const> gradients, bool beside) {
  using Pending = HeldSpread<T, Partial<ReduceOp::sum>, Mesh>;
  using Reduced = HeldSpread<T, Replicated, Mesh>;
  using Parts = typename Mesh::template tensors<T>;
  const auto pending = [&](std::size_t at) -> const auto& { return static_cast<Pending&>(**gradients[at]).spread; };
  const Mesh mesh = pending(0).mesh();  // a copy: its owner is replaced below
  if (mesh.size() == 1) {               // the only term is the sum
    for (auto* const gradient : gradients) {
      const auto& only = static_cast<Pending&>(**gradient).spread;
      *gradient = std::make_unique<Reduced>(typename Reduced::Spread(mesh, only.shape(), only.parts()));
    }
    return {};
  }
  std::optional<BesideOtherWorkOf<typename Mesh::devices>> streams;
  if (beside) streams.emplace();
  std::vector<Shape> shapes;
  for (std::size_t at = 0; at != gradients.size(); ++at) shapes.push_back(pending(at).shape());
  Parts flat;
  autograd::for_each_part<Mesh::local>([&](auto part) {
    std::vector<std::remove_cvref_t<decltype(std::get<part>(flat))>> list;
    for (std::size_t at = 0; at != gradients.size(); ++at) {
      list.push_back(reshape(std::get<part>(pending(at).parts()), Shape{pending(at).size()}));
    }
    std::get<part>(flat) = list.size() == 1 ? std::move(list[0]) : concat(list);
  });
  const auto put = [mesh, shapes](const Parts& sums, std::span<std::unique_ptr<autograd::AnyTensor>* const> places) {
    std::int64_t begin = 0;
    for (std::size_t at = 0; at != places.size(); ++at) {
      const IndexRange own{begin, begin + shapes[at].count(), 1};
      begin = own.stop;
      auto parts = std::apply([&](const auto&... sum) { return Parts{reshape(sum(own), shapes[at])...}; }, sums);
      *places[at] = std::make_unique<Reduced>(typename Reduced::Spread(mesh, shapes[at], std::move(parts)));
    }
  };
  if constexpr (Mesh::of_ranks) {
    if (beside) {
      for (auto* const gradient : gradients) gradient->reset();  // only `flat` still needs the terms
      return [put, wait = mesh.template all_reduce_beside<ReduceOp::sum>(flat)](auto places) { put(wait(), places); };
    }
  }
  put(mesh.template all_reduce<ReduceOp::sum>(flat), gradients);
  return {};
}

/// Each device gets its piece of the sum of one gradient, as a vector.
template <Element T, class Mesh>
RestOfReduction scatter_alone(std::span<std::unique_ptr<autograd::AnyTensor>* const> gradients, bool) {
  using Pending = HeldSpread<T, Partial<ReduceOp::sum>, Mesh>;
  using Scattered = HeldSpread<T, Sharded<0>, Mesh>;
  const auto& pending = static_cast<Pending&>(**gradients[0]).spread;
  const Shape flat{pending.size()};
  const auto parts =
      std::apply([&flat](const auto&... part) { return typename Mesh::template tensors<T>{reshape(part, flat)...}; },
                 pending.parts());
  auto pieces = pending.mesh().template reduce_scatter<ReduceOp::sum, 0>(parts);
  *gradients[0] = std::make_unique<Scattered>(typename Scattered::Spread(pending.mesh(), flat, std::move(pieces)));
  return {};
}

}  // namespace situ::internal

// SPDX-License-Identifier: Apache-2.0
// `nn::ShardedEmbedding`: a table of vectors whose words are divided among the devices.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/distributed/place.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/expression/operators.hpp>
#include <situ/nn/embedding.hpp>
#include <situ/nn/module.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/parallel/joint.hpp>
#include <situ/parallel/modules.hpp>
#include <situ/parallel/variable.hpp>

namespace situ::nn {

namespace detail {

[[nodiscard]] inline Shape with_last(Shape shape, std::int64_t extent) {
  shape.push_back(extent);
  return shape;
}

/// The vectors of a part's own words, 0 for others. A word that no part has is looked up unchanged, so that `take`
/// throws.
struct TakeOwnWords {
  std::int64_t words;
  situ::internal::EvenSplit split;

  template <class T, class D, class Indices>
  [[nodiscard]] Variable<T, D> operator()(std::size_t number, const Variable<T, D>& weight,
                                          const Indices& indices) const {
    using Index = typename Indices::value_type;
    const auto count = static_cast<Index>(words);
    const auto begin = static_cast<Index>(split.begin(number));
    const auto end = static_cast<Index>(split.begin(number + 1));
    const Tensor<Index, D> word =
        where(indices < Index(0), indices + count, indices);  // negative ones count from the end
    const Tensor<bool, D> own = word >= begin && word < end;
    const Tensor<bool, D> known = word >= Index(0) && word < count;
    if (begin == end) {  // an empty part cannot find an unknown word; part 0 does
      return autograd::own_or_zeros(weight, false, with_last(word.shape(), weight.shape()[1]));
    }
    const Variable<T, D> vectors = take(weight, eval(where(own, word - begin, where(known, Index(0), indices))), 0);
    return where(unsqueeze(own, -1), vectors, T(0));
  }
};

}  // namespace detail

/// Looks up vectors by number, as `Embedding`: the table (words, width) is `Sharded<0>`, the indices are `Replicated`,
/// the result is `Partial<>`, since every device has the vectors of its words and 0 for others. Throws `IndexError` as
/// `take` does, in terms of the words of one device.
///
///     auto embedding = nn::sharded_embedding(nn::Embedding(50000, 768, generator), gpu<0>, gpu<1>);
///     SpreadVariable x = all_reduce(embedding(replicate(tokens, gpu<0>, gpu<1>)));
template <FloatingElement T, class... Where>
class ShardedEmbedding : public Module<ShardedEmbedding<T, Where...>> {
  using Mesh = situ::internal::mesh_t<Where...>;

 public:
  SpreadVariable<T, Sharded<0>, Where...> weight;

  ShardedEmbedding() = default;
  explicit ShardedEmbedding(const Spread<T, Sharded<0>, Where...>& weights) : weight(weights) {}

  template <SpreadLike Indices>
    requires std::same_as<layout_t<Indices>, Replicated> &&
             std::same_as<situ::internal::spread_mesh_t<Indices>, Mesh> &&
             std::integral<situ::internal::spread_element_t<Indices>> &&
             (!std::same_as<situ::internal::spread_element_t<Indices>, bool>)
  [[nodiscard]] SpreadVariable<T, Partial<>, Where...> operator()(const Indices& indices) const {
    const auto index = situ::eval(indices);
    const std::int64_t words = weight.shape()[0];
    return situ::internal::map_all_numbered_parts<Partial<>>(
        detail::with_last(index.shape(), weight.shape()[1]),
        detail::TakeOwnWords{words, situ::internal::EvenSplit(words, weight.mesh().size())}, weight, index);
  }
  never_made operator()(this_layer_takes_an_input_in_layout<Replicated>::fix_call_all_gather) const;
  never_made operator()(this_layer_takes_an_input_in_layout<Replicated>::fix_call_replicate) const;
  never_made operator()(a_partial_sum_is_not_a_value::fix_call_all_reduce) const;

  static constexpr auto members() { return nn::members("weight", &ShardedEmbedding::weight); }
};

/// An embedding divided by words, over devices or over the ranks of a group, each of which takes its words from its
/// copy of the table. (A word at the padding index is looked up like others.)
template <FloatingElement T, Device From, class... Where>
  requires(sizeof...(Where) > 0)
[[nodiscard]] auto sharded_embedding(const Embedding<T, From>& embedding, const Where&... where) {
  return ShardedEmbedding(shard<0>(embedding.weight.value(), where...));
}

}  // namespace situ::nn

// SPDX-License-Identifier: Apache-2.0
// `nn::Embedding`: a vector for each word of a vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/error.hpp>
#include <situ/expression/operators.hpp>
#include <situ/nn/check_positive.hpp>
#include <situ/nn/init.hpp>
#include <situ/nn/module.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/select.hpp>

namespace situ::nn {

struct EmbeddingOptions {
  /// A word whose vector is initially 0 and gets no gradient.
  std::optional<std::int64_t> padding_index = {};
};

/// Looks up vectors by number: `indices` are integers of any shape, the result appends the width of the vectors to that
/// shape. The parameter `weight` (words, width) is normal with standard deviation 1. An index out of range throws
/// `IndexError` as in `take`.
///
///     nn::Embedding embedding(10000, 64, generator);
///     Variable vectors = embedding(tokens);            // (batch, length) -> (batch, length, 64)
template <FloatingElement T = float, Device D = Cpu>
class Embedding : public Module<Embedding<T, D>> {
 public:
  using value_type = T;
  using device_type = D;

  Variable<T, D> weight;
  EmbeddingOptions options;

  /// Without words, to be filled.
  Embedding() = default;
  Embedding(std::int64_t words, std::int64_t width, D where, RandomSource source = {})
      : Embedding(words, width, {}, where, source) {}
  Embedding(std::int64_t words, std::int64_t width, RandomSource source) : Embedding(words, width, {}, D{}, source) {}
  Embedding(std::int64_t words, std::int64_t width, EmbeddingOptions how, RandomSource source)
      : Embedding(words, width, how, D{}, source) {}
  Embedding(std::int64_t words, std::int64_t width, EmbeddingOptions how = {}, D = {}, RandomSource source = {})
      : options(how) {
    detail::check_positive(words, "Embedding", "the number of words");
    detail::check_positive(width, "Embedding", "the width");
    Tensor<T, Cpu> vectors = detail::normal<T, Cpu>({words, width}, 1, source);
    if (how.padding_index) {
      if (*how.padding_index < 0 || *how.padding_index >= words) {
        throw ValueError("Embedding: the padding index " + std::to_string(*how.padding_index) + " is not one of " +
                         std::to_string(words) + " words");
      }
      vectors.at(*how.padding_index, situ::all) = T(0);
    }
    weight = Variable<T, D>(vectors.template to<D>());
  }

  template <class Indices>
    requires situ::internal::IndicesOn<Indices, D>
  [[nodiscard]] Variable<T, D> operator()(const Indices& indices) const {
    if (!options.padding_index) return take(weight, indices, 0);
    const auto index = eval(indices);
    const Variable<T, D> vectors = take(weight, index, 0);
    const auto is_padding = unsqueeze(index, -1) == *options.padding_index;
    return where(is_padding, vectors.value(), vectors);
  }
  Variable<T, D> operator()(typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) const;
  Variable<T, D> operator()(typename indices_are_not_integers<D>::fix_call_cast) const;

  static constexpr auto members() { return nn::members("weight", &Embedding::weight, "options", &Embedding::options); }
};

}  // namespace situ::nn

// SPDX-License-Identifier: Apache-2.0
// Einstein summation: `einsum<"bij,bjk->bik">(a, b)`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/einsum/contraction_order.hpp>
#include <situ/einsum/diagnostics.hpp>
#include <situ/einsum/factor.hpp>
#include <situ/einsum/pair.hpp>
#include <situ/einsum/subscripts.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

namespace subscripts {

/// The label of an axis as error messages name it.
[[nodiscard]] inline std::string label_name(int label) {
  if (label < letter_count) return std::string("label '") + letter_of(label) + "'";
  return "axis " + std::to_string(label - letter_count - max_rank) + " of the ellipsis";
}

/// The labels of the axes of an operand with this rank; those of the ellipsis count from the last one. `name` returns
/// the operand's description for an error.
template <class Name>
[[nodiscard]] LabelList labels_of(const Term& term, int rank, const Name& name) {
  const int hidden = rank - term.letters.count;
  if (hidden < 0 || (hidden > 0 && !term.has_ellipsis())) {
    throw ShapeError(
        "einsum: " + name() + ", and its subscripts have " + std::to_string(term.letters.count) +
        (term.letters.count == 1 ? " label" : " labels") +
        (term.has_ellipsis() ? " beside the ellipsis; write at most one for each axis" : "; write one for each axis"));
  }
  LabelList labels;
  for (int i = 0; i <= term.letters.count; ++i) {
    if (i == term.ellipsis) {
      for (int axis = hidden; axis > 0; --axis) labels.push_back(letter_count + max_rank - axis);
    }
    if (i < term.letters.count) labels.push_back(term.letters[i]);
  }
  return labels;
}

/// The diagonal along two axes of one operand that have the same label.
template <class X, class Name>
void take_diagonals(Factor<X>& factor, const Name& name) {
  for (int axis = 0; axis < factor.labels.count; ++axis) {
    const int label = factor.labels[axis];
    const int again = factor.labels.find(label, axis + 1);
    if (again == factor.labels.count) continue;
    const Shape& shape = factor.value.shape();
    if (shape[axis] != shape[again]) {
      throw ShapeError("einsum: " + name() + ", with extents " + std::to_string(shape[axis]) + " and " +
                       std::to_string(shape[again]) + " for one label, '" + letter_of(label) + "'; they must be equal");
    }
    AxisList order;
    LabelList labels;
    for (int i = 0; i < factor.labels.count; ++i) {
      if (i == axis || i == again) continue;
      order.push_back(i);
      labels.push_back(factor.labels[i]);
    }
    order.push_back(axis);
    order.push_back(again);
    labels.push_back(label);
    factor = {diagonal(permute(std::move(factor.value), order.span())), labels};
    axis = -1;  // the axes have moved
  }
}

/// Reads operands one by one: the labels of their axes, and the extent of each label.
class Extender {
 public:
  template <class X>
  [[nodiscard]] Factor<X> add(X value, const Term& term) {
    const Shape shape = value.shape();
    const auto name = [&] { return "operand " + std::to_string(count_) + " has shape " + shape.to_string(); };
    Factor<X> factor{std::move(value), {}};
    factor.labels = labels_of(term, shape.rank(), name);
    take_diagonals(factor, name);
    for (int axis = 0; axis < factor.labels.count; ++axis) {
      const auto label = static_cast<std::size_t>(factor.labels[axis]);
      const std::int64_t extent = factor.value.shape()[axis];
      if (extents[label] == 1) {
        extents[label] = extent;
        operand_with_[label] = count_;
      } else if (extent != extents[label] && extent != 1) {
        throw ShapeError("einsum: " + label_name(factor.labels[axis]) + " has extent " +
                         std::to_string(extents[label]) + " in operand " + std::to_string(operand_with_[label]) +
                         " and " + std::to_string(extent) + " in operand " + std::to_string(count_) +
                         "; they must be equal, or one of them 1");
      }
    }
    ++count_;
    return factor;
  }

  Extents extents = [] {
    Extents ones{};
    ones.fill(1);
    return ones;
  }();

 private:
  std::array<int, label_count> operand_with_{};
  int count_ = 0;
};

/// Drops the axes of extent 1 that are broadcast: the factor is constant along them.
template <class X>
[[nodiscard]] Factor<X> without_broadcast(Factor<X> factor, const Extents& extents) {
  for (int axis = factor.labels.count - 1; axis >= 0; --axis) {
    if (factor.value.shape()[axis] == extents[static_cast<std::size_t>(factor.labels[axis])]) continue;
    factor.value = squeeze(std::move(factor.value), axis);
    factor.labels.erase(axis);
  }
  return factor;
}

/// Contracts a set of factors in the cheapest order.
template <class X>
[[nodiscard]] Factor<X> contract_all(std::span<const Factor<X>> factors, const ContractionOrder& order, OperandSet set,
                                     const LabelList& output, const Extents& extents) {
  const OperandSet left = order.left(set);
  if (left == 0) {
    std::size_t only = 0;
    while ((set >> only & 1U) == 0) ++only;
    return summed(factors[only], order.labels(set));
  }
  return contract(contract_all(factors, order, left, output, extents),
                  contract_all(factors, order, set ^ left, output, extents), order.labels(set), output, extents);
}

/// The sum over all labels that are not in the output. `factors` were read by the `reader`.
template <class X, std::size_t Count>
[[nodiscard]] X sum_of_products(std::array<Factor<X>, Count> factors, const Term& result, const Extents& extents) {
  LabelSet ellipsis = 0;
  for (const Factor<X>& factor : factors) ellipsis |= factor.labels.set();
  ellipsis >>= letter_count;
  int hidden = max_rank;
  while (hidden > 0 && (ellipsis >> (max_rank - hidden) & 1U) == 0) --hidden;
  const int rank = result.letters.count + hidden;
  if (rank > max_rank) {
    throw ShapeError("einsum: the result has " + std::to_string(rank) + " axes; at most " + std::to_string(max_rank) +
                     " are possible");
  }
  const LabelList output = labels_of(result, rank, [] { return std::string("the result"); });

  std::array<LabelSet, Count> sets{};
  for (std::size_t i = 0; i < Count; ++i) {
    factors[i] = without_broadcast(std::move(factors[i]), extents);
    sets[i] = factors[i].labels.set();
  }
  const ContractionOrder order(sets, output.set(), extents);
  return ordered(contract_all(std::span<const Factor<X>>(factors), order, order.all(), output, extents), output);
}

/// An operand as a tensor, or as a variable if another is one.
template <class X, class Operand>
[[nodiscard]] X as_factor(const Operand& operand) {
  if constexpr (TensorType<X>) return eval(operand);
  else if constexpr (Recorded<Operand>) return X(operand);
  else return constant(operand);  // from autograd.hpp: code with a variable includes it
}

template <Subscripts S, int Passed>
concept ReadsOperands = form<S>.mistake == Mistake::none && form<S>.count == Passed;

template <Subscripts S, Mistake Wrong>
concept HasMistake = form<S>.mistake == Wrong;

}  // namespace subscripts

namespace operation {

struct Einsum : functional::OfNumbers<Einsum> {};

}  // namespace operation

/// Operands of one device and element type, with numbers as elements.
template <class First, class... More>
concept EinsumOperands = TensorLike<First> && NumberElement<value_type_t<First>> &&
                         ((TensorLike<More> && agrees<More, value_type_t<First>, device_t<First>>) && ...);

}  // namespace internal

/// The sum of products that the subscripts describe: one term for each operand, a letter for each axis, `...` for any
/// other axes, which broadcast. Axes with the same letter must have equal extents, or 1. The letters after `->` are the
/// axes of the result; all others are summed over. Without an arrow, the result has the letters that occur once, in
/// alphabetical order. As numpy.einsum; a letter twice in one term takes the diagonal. Invalid subscripts do not
/// compile. Operands are contracted two at a time, in the order with the fewest multiplications, by `matmul` where
/// possible. Throws `ShapeError` for operands that do not fit.
///
///     Tensor c = einsum<"bij,bjk->bik">(a, b);          // matmul of batches
///     Tensor scores = einsum<"bqhd,bkhd->bhqk">(q, k);   // of attention
///     Tensor t = einsum<"ii->">(m);                      // trace
template <internal::Subscripts S, class First, class... More>
  requires internal::EinsumOperands<First, More...> && internal::subscripts::ReadsOperands<S, 1 + sizeof...(More)>
[[nodiscard]] applied_t<First, More...> einsum(const First& first, const More&... more) {
  using X = applied_t<First, More...>;
  namespace subscripts = internal::subscripts;
  static constexpr const subscripts::Form& form = subscripts::form<S>;
  subscripts::Extender reader;
  std::size_t next = 0;
  const auto read = [&](const auto& operand) {
    return reader.add(subscripts::as_factor<X>(operand), form.operands[next++]);
  };
  std::array<subscripts::Factor<X>, 1 + sizeof...(More)> factors{read(first), read(more)...};
  return subscripts::sum_of_products(std::move(factors), form.output, reader.extents);
}

// The character is deduced: clang prints an explicit constant as the expression that computes it.
template <internal::Subscripts S, char Wrong = internal::subscripts::form<S>.wrong, class... More>
  requires internal::subscripts::HasMistake<S, internal::subscripts::Mistake::character>
Tensor<float, Cpu> einsum(typename einsum_cannot_read<Wrong>::fix_write_labels_commas_and_an_arrow_as_in_ij_jk_to_ik,
                          const More&...);
template <internal::Subscripts S, char Wrong = internal::subscripts::form<S>.wrong, class... More>
  requires internal::subscripts::HasMistake<S, internal::subscripts::Mistake::repeated_in_output>
Tensor<float, Cpu> einsum(typename the_output_of_einsum_repeats_label<Wrong>::fix_write_it_once, const More&...);
template <internal::Subscripts S, char Wrong = internal::subscripts::form<S>.wrong, class... More>
  requires internal::subscripts::HasMistake<S, internal::subscripts::Mistake::not_in_operands>
Tensor<float, Cpu> einsum(typename no_operand_of_einsum_has_output_label<Wrong>::fix_write_it_in_an_operand,
                          const More&...);
template <internal::Subscripts S, class... More>
  requires internal::subscripts::HasMistake<S, internal::subscripts::Mistake::output_without_ellipsis>
Tensor<float, Cpu> einsum(the_output_of_einsum_lacks_the_ellipsis::fix_write_three_dots_in_it, const More&...);
template <internal::Subscripts S, int Expected = internal::subscripts::form<S>.count, class... More,
          int Passed = 1 + sizeof...(More)>
  requires internal::subscripts::HasMistake<S, internal::subscripts::Mistake::none> && (Expected != Passed)
Tensor<float, Cpu> einsum(typename einsum_has_subscripts_for<Expected>::template fix_pass_as_many_operands_not<Passed>,
                          const More&...);
template <internal::Subscripts S, class D, class... Rest>
  requires internal::subscripts::ReadsOperands<S, 2 + sizeof...(Rest)>
on_device<D> einsum(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    const Rest&...);
template <internal::Subscripts S, class D, class... Rest>
  requires internal::subscripts::ReadsOperands<S, 3 + sizeof...(Rest)>
on_device<D> einsum(const on_device<D>&, const on_device<D>&,
                    typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const Rest&...);
template <internal::Subscripts S, class T, class D, class... Rest>
  requires internal::subscripts::ReadsOperands<S, 2 + sizeof...(Rest)>
placed<T, D> einsum(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                    const Rest&...);
template <internal::Subscripts S, class T, class D, class... Rest>
  requires internal::subscripts::ReadsOperands<S, 3 + sizeof...(Rest)>
placed<T, D> einsum(const placed<T, D>&, const placed<T, D>&,
                    typename element_types_differ<T, D>::template fix_call_cast<T>, const Rest&...);
template <internal::Subscripts S, class... Rest>
  requires internal::subscripts::ReadsOperands<S, 1 + sizeof...(Rest)>
Tensor<float, Cpu> einsum(typename operation_undefined_for_elements<internal::operation::Einsum>::fix_call_cast,
                          const Rest&...);
template <class... Operand>
Tensor<float, Cpu> einsum(subscripts_of_einsum_are_a_template_argument::fix_write_them_in_angle_brackets,
                          const Operand&...);
template <internal::Subscripts S, class... Rest>
Tensor<float, Cpu> einsum(einsum_takes_no_spread_values::fix_call_matmul, const Rest&...);
template <internal::Subscripts S, class D, class... Rest>
Tensor<float, Cpu> einsum(const on_device<D>&, einsum_takes_no_spread_values::fix_call_matmul, const Rest&...);

}  // namespace situ

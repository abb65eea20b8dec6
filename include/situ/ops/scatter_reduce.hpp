// SPDX-License-Identifier: Apache-2.0
// `scatter_reduce`: combines elements with those at given indices, by sum, product, minimum, maximum or mean; and
// `index_add`, `index_copy`, where one list of indices applies to whole parts of an axis.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/scatter.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/scattered.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/reduction.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct ScatterReduce;
void is_included(const ScatterReduce*);  // see in_indexing.hpp
}  // namespace internal

/// How `scatter_reduce` combines the elements that go to one place.
enum class ScatterReduction { sum, prod, min, max, mean };

/// Whether the existing element of a place is included; places without an index keep theirs in any case.
enum class IncludeSelf : bool { no, yes };

/// `scatter_reduce(x, 0, i, y, "amax")`: "the reduction is a template argument: fix: write ScatterReduction::max in angle
/// brackets", `scatter_reduce<ScatterReduction::max>(x, 0, i, y)`.
struct the_reduction_is_a_template_argument {
  struct fix_write_ScatterReduction_in_angle_brackets {
    fix_write_ScatterReduction_in_angle_brackets(const char*) = delete;
  };
};

namespace internal {

namespace operation {

/// Names the operation in errors.
struct ReduceAtIndices {
  template <Element T>
  static constexpr bool accepts = NumberElement<T>;
};

/// The gradient of a product is the product of the others, also if one of them is 0.
template <class Index>
struct ScatterProd : Scattered<Index, scattering::Prod> {
  static constexpr bool shares_work = true;
  template <std::size_t>
  static constexpr unsigned gradient_reads = reads::operand<0> | reads::operand<1>;

  template <Element T, Device D>
  [[nodiscard]] std::array<Tensor<T, D>, 2> gradients(const std::array<bool, 2>& wanted, const Tensor<T, D>& g,
                                                      const Tensor<T, D>& x, const Tensor<T, D>& source) const {
    std::array<Tensor<T, D>, 2> result;
    if (wanted[0]) result[0] = eval(g * (*this)(ones<T>(x.shape(), D{}), source));
    if (wanted[1]) {
      const Shape written = this->written(x.shape());
      const auto places = broadcast_to(this->index, written);
      const Tensor<T, D> without_zeros = (*this)(x, where(source == T(0), T(1), source));
      const auto at = [&](const Tensor<T, D>& y) { return gather(y, this->axis, places); };
      const ScatterAdd<Index> count{{this->index, this->axis, this->called}};
      const Tensor<T, D> zeros_there = at(count(zeros<T>(x.shape(), D{}), cast<T>(source == T(0))));
      const Tensor<T, D> product = at(eval(g * without_zeros));
      result[1] = sum_to(where(source == T(0), where(zeros_there == T(1), product, T(0)),
                               where(zeros_there == T(0), product / source, T(0))),
                         source.shape());
    }
    return result;
  }
};

/// All that equal the extremum share the gradient, as in PyTorch, or all that are NaN.
template <class Index, class Rule>
struct ScatterExtremum : Scattered<Index, Rule> {
  static constexpr bool shares_work = true;
  template <std::size_t>
  static constexpr unsigned gradient_reads = reads::result | reads::operand<0> | reads::operand<1>;

  template <Element T, Device D>
  [[nodiscard]] std::array<Tensor<T, D>, 2> gradients(const std::array<bool, 2>& wanted, const Tensor<T, D>& g,
                                                      const Tensor<T, D>& y, const Tensor<T, D>& x,
                                                      const Tensor<T, D>& source) const {
    const auto places = broadcast_to(this->index, this->written(x.shape()));
    const Tensor<T, D> best = gather(y, this->axis, places);
    const ScatterAdd<Index> count{{this->index, this->axis, this->called}};
    using C = compute_t<T>;  // can count beyond 256
    const auto own = x == y || x != x;
    const auto given = source == best || source != source;
    const Tensor<C, D> ties = count(cast<C>(own), cast<C>(given));
    const Tensor<T, D> share = cast<T>(cast<C>(g) / ties);
    std::array<Tensor<T, D>, 2> result;
    if (wanted[0]) result[0] = where(own, share, T(0));
    if (wanted[1]) {
      result[1] = sum_to(where(given, gather(share, this->axis, places), T(0)), source.shape());
    }
    return result;
  }
};

template <ScatterReduction How, class Index>
struct ScatterReductionOf;
template <class Index>
struct ScatterReductionOf<ScatterReduction::sum, Index> {
  using type = ScatterAdd<Index>;
  using rule = scattering::Sum;
};
template <class Index>
struct ScatterReductionOf<ScatterReduction::mean, Index> : ScatterReductionOf<ScatterReduction::sum, Index> {};
template <class Index>
struct ScatterReductionOf<ScatterReduction::prod, Index> {
  using type = ScatterProd<Index>;
  using rule = scattering::Prod;
};
template <class Index>
struct ScatterReductionOf<ScatterReduction::min, Index> {
  using type = ScatterExtremum<Index, scattering::Min>;
  using rule = scattering::Min;
};
template <class Index>
struct ScatterReductionOf<ScatterReduction::max, Index> {
  using type = ScatterExtremum<Index, scattering::Max>;
  using rule = scattering::Max;
};

}  // namespace operation

/// One list of positions as the indices of `scatter`: along `axis`, and the same for all others. Throws `ShapeError`
/// unless the indices are a list.
template <class Indices>
[[nodiscard]] tensor_of_t<Indices> along_axis(const Indices& indices, int rank, int axis, IndexedOperation operation) {
  const tensor_of_t<Indices> list = eval(indices);
  if (list.rank() != 1) {
    throw ShapeError(std::string(operation_name(operation)) + ": indices of shape " + list.shape().to_string() +
                     " are not a list; give one position for each part of the source along the axis");
  }
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(i == axis ? list.size() : 1);
  return reshape(list, shape);
}

}  // namespace internal

/// A copy of `x` in which every place at `indices` along `axis` has the sum, product, minimum, maximum or mean of its
/// existing element and all elements of `source` that go there (PyTorch's scatter_reduce; its amin and amax are `min`
/// and `max`). With `IncludeSelf::no`, only of the latter. `source` and `indices` broadcast as in `scatter`; the
/// elements are combined in the order of `indices`, the same on every device and in every run. If one is NaN, the
/// minimum and the maximum are NaN; a mean of integers is rounded down. Throws `IndexError` for an index out of range.
///
///     Tensor tallest = scatter_reduce<ScatterReduction::max>(zeros({4}), 0, group, height);   // of each group
template <ScatterReduction How, TensorLike X, class Indices, class S>
  requires internal::IndicesOn<Indices, device_t<X>> && internal::SourceFor<S, X> && NumberElement<value_type_t<X>>
[[nodiscard]] applied_t<X, S> scatter_reduce(X&& x, std::int64_t axis, const Indices& indices, const S& source,
                                             IncludeSelf self = IncludeSelf::yes) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  using Index = internal::tensor_of_t<Indices>;
  using Chosen = internal::operation::ScatterReductionOf<How, Index>;
  if constexpr (How == ScatterReduction::mean) {  // of sums with room for many elements
    using C = std::conditional_t<IntegerElement<T>, internal::reduction::sum_t<T>, compute_t<T>>;
    if constexpr (!std::same_as<T, C>) {
      return cast<T>(scatter_reduce<How>(cast<C>(x), axis, indices, cast<C>(source), self));
    }
  }
  constexpr internal::IndexedOperation called = internal::IndexedOperation::scatter_reduce;
  const Shape shape = x.shape();
  internal::check_ranks(shape, indices.shape(), "scatter_reduce");
  const int a = internal::normalize_axis(axis, shape.rank(), "scatter_reduce");
  const Index index = eval(indices);
  const typename Chosen::type operation{{index, a, called}};
  const auto reduced = [&]() -> applied_t<X, S> {
    if (self == IncludeSelf::yes) return internal::apply(operation, std::forward<X>(x), source);
    const internal::operation::Scatter<Index> begin{{index, a, called}};
    const auto identity = static_cast<T>(Chosen::rule::template identity<T>);
    const applied_t<S> from(source);  // before x moves: it may be x
    return internal::apply(operation, internal::apply(begin, std::forward<X>(x), full<T>({}, identity, D{})), from);
  };
  if constexpr (How == ScatterReduction::mean) {
    const std::int64_t itself = self == IncludeSelf::yes ? 1 : 0;
    const internal::operation::ScatterAdd<Index> count{{index, a, called}};
    const auto counts = count(full<std::int64_t>(shape, itself, D{}), full<std::int64_t>({}, std::int64_t{1}, D{}));
    const auto number = maximum(counts, 1);
    const applied_t<X, S> total = reduced();
    if constexpr (IntegerElement<T>) return floor_divide(total, cast<T>(number));
    else return total / cast<T>(number);
  } else {
    return reduced();
  }
}
template <ScatterReduction How, class D, class S>
on_device<D> scatter_reduce(const on_device<D>&, std::int64_t,
                            typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const S&,
                            IncludeSelf = IncludeSelf::yes);
template <ScatterReduction How, class D>
on_device<D> scatter_reduce(const on_device<D>&, std::int64_t, const on_device<D>&,
                            typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                            IncludeSelf = IncludeSelf::yes);
template <ScatterReduction How, class T, class D>
placed<T, D> scatter_reduce(const placed<T, D>&, std::int64_t, const on_device<D>&,
                            typename element_types_differ<T, D>::template fix_call_cast<T>,
                            IncludeSelf = IncludeSelf::yes);
template <ScatterReduction How, class D, class S>
on_device<D> scatter_reduce(const on_device<D>&, std::int64_t, typename indices_are_not_integers<D>::fix_call_cast,
                            const S&, IncludeSelf = IncludeSelf::yes);
template <class D, class Indices, class S>
on_device<D> scatter_reduce(const on_device<D>&, std::int64_t, const Indices&, const S&,
                            the_reduction_is_a_template_argument::fix_write_ScatterReduction_in_angle_brackets,
                            IncludeSelf = IncludeSelf::yes);
template <ScatterReduction How, class Indices, class S>
Tensor<float, Cpu> scatter_reduce(operation_undefined_for_elements<internal::operation::ReduceAtIndices>::fix_call_cast,
                                  std::int64_t, const Indices&, const S&, IncludeSelf = IncludeSelf::yes);

/// A copy of `x` with the parts of `source` along `axis` added at the positions in the list `indices`, several to one
/// place in the order of the list: the gradient of `take`. `source` broadcasts to the shape of `x` with the axis as
/// long as the list. Throws `IndexError` for an index out of range, `ShapeError` for shapes that do not fit.
///
///     Tensor sums = index_add(zeros({words, width}), 0, tokens, vectors);   // (n,) and (n, width)
template <TensorLike X, class Indices, class S>
  requires internal::IndicesOn<Indices, device_t<X>> && internal::SourceFor<S, X> &&
           internal::ScatterAdded<value_type_t<X>>
[[nodiscard]] applied_t<X, S> index_add(X&& x, std::int64_t axis, const Indices& indices, const S& source) {
  constexpr internal::IndexedOperation called = internal::IndexedOperation::index_add;
  const int rank = x.shape().rank();
  const int a = internal::normalize_axis(axis, rank, "index_add");
  const internal::operation::ScatterAdd<internal::tensor_of_t<Indices>> operation{
      {internal::along_axis(indices, rank, a, called), a, called}};
  return internal::apply(operation, std::forward<X>(x), source);
}
template <class D, class S>
on_device<D> index_add(const on_device<D>&, std::int64_t,
                       typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const S&);
template <class D>
on_device<D> index_add(const on_device<D>&, std::int64_t, const on_device<D>&,
                       typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> index_add(const placed<T, D>&, std::int64_t, const on_device<D>&,
                       typename element_types_differ<T, D>::template fix_call_cast<T>);
template <class D, class S>
on_device<D> index_add(const on_device<D>&, std::int64_t, typename indices_are_not_integers<D>::fix_call_cast,
                       const S&);
template <class Indices, class S>
Tensor<float, Cpu> index_add(operation_undefined_for_elements<internal::operation::AddAtIndices>::fix_call_cast,
                             std::int64_t, const Indices&, const S&);

/// As `index_add`, but the parts of `source` replace the existing ones; of several for one place the last of the list
/// wins, on every device.
///
///     Tensor y = index_copy(x, 0, tensor({0, 4, 2}), rows);
template <TensorLike X, class Indices, class S>
  requires internal::IndicesOn<Indices, device_t<X>> && internal::SourceFor<S, X>
[[nodiscard]] applied_t<X, S> index_copy(X&& x, std::int64_t axis, const Indices& indices, const S& source) {
  constexpr internal::IndexedOperation called = internal::IndexedOperation::index_copy;
  const int rank = x.shape().rank();
  const int a = internal::normalize_axis(axis, rank, "index_copy");
  const internal::operation::Scatter<internal::tensor_of_t<Indices>> operation{
      {internal::along_axis(indices, rank, a, called), a, called}};
  return internal::apply(operation, std::forward<X>(x), source);
}
template <class D, class S>
on_device<D> index_copy(const on_device<D>&, std::int64_t,
                        typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const S&);
template <class D>
on_device<D> index_copy(const on_device<D>&, std::int64_t, const on_device<D>&,
                        typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> index_copy(const placed<T, D>&, std::int64_t, const on_device<D>&,
                        typename element_types_differ<T, D>::template fix_call_cast<T>);
template <class D, class S>
on_device<D> index_copy(const on_device<D>&, std::int64_t, typename indices_are_not_integers<D>::fix_call_cast,
                        const S&);

}  // namespace situ

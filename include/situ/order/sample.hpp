// SPDX-License-Identifier: Apache-2.0
// Weighted random sampling: `multinomial`.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/binary.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/random.hpp>
#include <situ/ops/rearrange.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/scan.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/sort.hpp>
#include <situ/ops/unary.hpp>
#include <situ/order/search.hpp>
#include <situ/plan/indices.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct SamplingHeader;
void is_included(const SamplingHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

/// Whether `multinomial` may draw a position twice.
enum class Replacement { no, yes };

namespace internal {

namespace operation {

/// Names the operation in errors.
struct Multinomial {
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
};

}  // namespace operation

/// Throws `ShapeError` unless the weights are a vector or a matrix, `ValueError` for an impossible number of draws,
/// and, where the host can look without waiting, for weights that do not allow that many draws.
template <Device D>
void check_multinomial(const Tensor<double, D>& weights, std::int64_t draws, Replacement replacement) {
  const Shape& shape = weights.shape();
  if (shape.rank() != 1 && shape.rank() != 2) {
    throw ShapeError("multinomial: weights of shape " + shape.to_string() +
                     "; it takes a vector, or a matrix with one in each row");
  }
  if (draws < 0 || (draws > 0 && shape[-1] == 0) || (replacement == Replacement::no && draws > shape[-1])) {
    throw ValueError("multinomial: " + std::to_string(draws) + " draws from " + std::to_string(shape[-1]) +
                     (replacement == Replacement::no ? " positions, each at most once; Replacement::yes draws one again"
                                                     : " positions"));
  }
  if constexpr (HostDevice<D>) {
    if (weights.size() == 0) return;
    const bool numbers = all(weights >= 0.0 && weights < std::numeric_limits<double>::infinity()).item();
    const std::int64_t fewest = min(sum(weights != 0.0, -1)).item();
    if (!numbers || fewest < (replacement == Replacement::no ? std::max<std::int64_t>(draws, 1) : 1)) {
      std::string message = index_message(IndexedOperation::multinomial, 0, 0, 0);
      if (numbers && fewest > 0) {
        message +=
            "; here " + std::to_string(draws) + " are drawn from a row of " + std::to_string(fewest) + " above 0";
      }
      throw ValueError(message);
    }
  }
}

/// Finds a number between 0 and the sum of the weights among their prefix sums.
template <Device D>
[[nodiscard]] Tensor<std::int64_t, D> drawn_again(const Tensor<double, D>& weights, const Tensor<double, D>& uniform) {
  const Tensor<double, D> sums = cumsum(weights, -1);
  const Tensor<double, D> total = contiguous(narrow(sums, -1, sums.extent(-1) - 1, 1));
  const Tensor<std::int64_t, D> found = searchsorted(sums, uniform * total, SearchSide::right);
  // A number that is rounded up to the sum is beyond all; it belongs to the last position that has a weight.
  const Tensor<std::int64_t, D> position = minimum(found, searchsorted(sums, total));
  if constexpr (HostDevice<D>) return position;  // the sums before and after a weight of 0 are equal
  // A GPU adds partial sums, which may differ by a rounding where a weight is 0. A draw at such a position goes to the
  // largest weight: about one draw in 2^53.
  else return where(gather(weights, -1, position) > 0.0, position, argmax(weights, -1, KeepDims::yes));
}

/// The order in which exponential clocks, with the weights as rates, ring first: P. S. Efraimidis and P. G. Spirakis,
/// "Weighted random sampling with a reservoir", Information Processing Letters 97 (2006).
template <Device D>
[[nodiscard]] Tensor<std::int64_t, D> drawn_once(const Tensor<double, D>& weights, const Tensor<double, D>& uniform,
                                                 std::int64_t draws) {
  // A uniform number of 0 turns a weight into infinity, and no weight into NaN; a small weight may be rounded to 0.
  return topk(where(weights > 0.0, weights / -log1p(-uniform), -1.0), draws, -1).indices;
}

/// The draws. On a GPU the kernel that reads them finds a position without a weight, or in a row with an invalid
/// weight, and the next transfer to the host reports it.
template <Device D>
[[nodiscard]] Tensor<std::int64_t, D> checked_draws(const Tensor<double, D>& weights,
                                                    const Tensor<std::int64_t, D>& drawn) {
  if constexpr (HostDevice<D>) {
    return drawn;
  } else {
    const std::int64_t count = weights.extent(-1);
    const auto is_number = weights >= 0.0 && weights < std::numeric_limits<double>::infinity();
    const Tensor<bool, D> numbers = all(is_number, -1, keepdims);
    const Tensor<std::int64_t, D> position = where(numbers && gather(weights, -1, drawn) > 0.0, drawn, count);
    const operation::Take<Tensor<std::int64_t, D>> taken{position, 0, IndexedOperation::multinomial};
    return taken(arange<std::int64_t>(count, D{}));
  }
}

template <TensorLike W, class... G>
[[nodiscard]] Tensor<std::int64_t, device_t<W>> multinomial_draws(const W& weights, std::int64_t draws,
                                                                  Replacement replacement, G&... generator) {
  using D = device_t<W>;
  const Tensor<double, D> given = cast<double>(detach(weights));
  check_multinomial(given, draws, replacement);
  Shape shape = given.shape();
  shape.set(shape.rank() - 1, draws);
  if (shape.checked().count() == 0) return zeros<std::int64_t>(shape, D{});
  // Divided by the largest, so that sums are in range; a positive weight is not rounded to 0.
  constexpr double least = std::numeric_limits<double>::denorm_min();
  const Tensor<double, D> rates = where(given > 0.0, maximum(given / max(given, -1, KeepDims::yes), least), 0.0);
  if (replacement == Replacement::no)
    return checked_draws(given, drawn_once(rates, rand<double>(rates.shape(), D{}, generator...), draws));
  return checked_draws(given, drawn_again(rates, rand<double>(shape, D{}, generator...)));
}

}  // namespace internal

/// Draws positions from a vector, or from each row of a matrix, with probabilities proportional to the weights: `int64`
/// of shape (draws) or (rows, draws). Unless it is `Replacement::yes`, each position is drawn at most once, in the
/// order of drawing. The result depends only on the generator and the weights, not on the number of threads. For
/// floating elements, computed in `double`. A generator may be the last argument. Throws `ShapeError` for weights of
/// another rank, and `ValueError` for an impossible number of draws, for negative or infinite weights, and, without
/// replacement, for fewer positive weights than draws: no position without a weight is drawn. (On a GPU, where looking
/// would wait, the next transfer to the host reports that.)
///
///     Tensor next_word = multinomial(softmax(logits), 1);
///     Tensor bootstrap = multinomial(ones({n}), n, Replacement::yes, generator);
template <TensorLike W, class... G>
  requires FloatingElement<value_type_t<W>> && internal::DrawnFromIfAny<G...>
[[nodiscard]] Tensor<std::int64_t, device_t<W>> multinomial(const W& weights, std::int64_t draws, G&&... generator) {
  return internal::multinomial_draws(weights, draws, Replacement::no, generator...);
}
template <TensorLike W, class... G>
  requires FloatingElement<value_type_t<W>> && internal::DrawnFromIfAny<G...>
[[nodiscard]] Tensor<std::int64_t, device_t<W>> multinomial(const W& weights, std::int64_t draws,
                                                            Replacement replacement, G&&... generator) {
  return internal::multinomial_draws(weights, draws, replacement, generator...);
}
template <class... Rest>
Tensor<std::int64_t, Cpu> multinomial(operation_undefined_for_elements<internal::operation::Multinomial>::fix_call_cast,
                                      const Rest&...);

}  // namespace situ

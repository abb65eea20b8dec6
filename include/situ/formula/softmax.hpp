// SPDX-License-Identifier: Apache-2.0
// The softmax family, each formula written once, on a row of elements: softmax, log_softmax, logsumexp, layer
// normalization.
//
// A backend provides the row: in SIMD vectors on the CPU, in the registers of a block's threads on a GPU. Its elements,
// of type `C`, are passed as lanes `x` to the functions `f` below. A backend may compute several rows at once: then `C`
// is itself a lane, with an element for each row.
//
//     row.largest()                the largest element, ignoring NaN, which the sum detects; minus infinity for none
//     row.sum(f, zero)             the sum of f(x); f(zero) must be 0, so that a partial vector can be padded
//     row.mean(f, zero)            the mean of f(x), for an f of a few instructions
//     row.replace(f, zero)         x = f(x), and the sum of the new x
//     row.finish(f)                the results, f(x)
//     row.finish(f, weight, bias)  the results, f(x) * weight + bias of each column; null for none
//     Row::exp(x), Row::log(c)
#pragma once

#include <cmath>
#include <limits>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>

namespace situ::internal::row {

/// The compute type of a row.
template <class Row>
using compute_t = typename Row::C;

/// For a scalar or a lane of them.
template <class C>
constexpr C minus_infinity() {
  return C(-std::numeric_limits<lane_element_t<C>>::infinity());
}

/// The value subtracted before `exp`: the largest element, which keeps the sum from overflowing. If it is infinite, the
/// sum needs no shift.
template <class C>
constexpr C shift_of(C largest) {
  using lane::select;
  const C most = -minus_infinity<C>();
  return select(static_cast<mask_t<C>>((largest == most) | (largest == -most)), C(0), largest);
}

/// The sum of exp(x - shift).
template <class Row>
constexpr auto exp_sum(const Row& row, compute_t<Row> shift) {
  return row.sum([=]<class V>(V x) SITU_INLINE_LAMBDA { return Row::exp(x - V(shift)); },
                 minus_infinity<compute_t<Row>>());
}

/// exp(x - max x) / sum of exp(x - max x). A row with NaN or plus infinity, or with only minus infinities, becomes NaN,
/// as in PyTorch.
struct Softmax {
  static constexpr const char* name = "softmax";

  template <class Row>
  [[SITU_INLINE]] constexpr void operator()(Row& row) const {
    using C = compute_t<Row>;
    const C largest = row.largest();
    const C sum =
        row.replace([=]<class V>(V x) SITU_INLINE_LAMBDA { return Row::exp(x - V(largest)); }, minus_infinity<C>());
    const C factor = C(1) / sum;
    row.finish([=]<class V>(V x) SITU_INLINE_LAMBDA { return x * V(factor); });
  }
};

/// x - max x - log(sum of exp(x - max x)). NaN where `Softmax` is NaN.
struct LogSoftmax {
  static constexpr const char* name = "log_softmax";

  template <class Row>
  [[SITU_INLINE]] constexpr void operator()(Row& row) const {
    using C = compute_t<Row>;
    const C largest = row.largest();
    const C logarithm = Row::log(exp_sum(row, largest));
    row.finish([=]<class V>(V x) SITU_INLINE_LAMBDA { return (x - V(largest)) - V(logarithm); });
  }
};

/// log(sum of exp(x)), without overflow. Minus infinity for an empty row or one of minus infinities, plus infinity if
/// there is one, NaN if there is one.
struct LogSumExp {
  template <class Row>
  constexpr auto operator()(const Row& row) const {
    const compute_t<Row> shift = shift_of(row.largest());
    return Row::log(exp_sum(row, shift)) + shift;
  }
};

/// -`LogSoftmax` at one element, `x`, computed from distances to the largest, which are as accurate for large logits as
/// for small ones. (The difference of `LogSumExp` and the element would cancel if both are large.)
struct CrossEntropy {
  template <class Row>
  constexpr auto operator()(const Row& row, compute_t<Row> x) const {
    const compute_t<Row> largest = row.largest();
    return Row::log(exp_sum(row, largest)) - (x - largest);
  }
};

/// (x - mean) / sqrt(variance + epsilon) * weight + bias; the variance divides by n. `weight` and `bias` have an
/// element for each column, adjacent, or are null. Ba, Kiros, Hinton, "Layer Normalization", 2016.
template <FloatingElement T>
struct LayerNorm {
  static constexpr const char* name = "layer_norm";
  using C = situ::compute_t<T>;

  C epsilon;
  const T* weight;
  const T* bias;

  /// The factor of the distances to the mean.
  constexpr C factor(C variance) const { return C(1) / lane::sqrt(variance + epsilon); }

  template <class Row>
  [[SITU_INLINE]] constexpr void operator()(Row& row) const {
    const C mean = row.mean([](auto x) SITU_INLINE_LAMBDA { return x; }, C(0));
    const C variance = row.mean(
        [=]<class V>(V x) SITU_INLINE_LAMBDA {
          const V distance = x - V(mean);
          return distance * distance;
        },
        mean);
    const C scale = factor(variance);
    row.finish([=]<class V>(V x) SITU_INLINE_LAMBDA { return (x - V(mean)) * V(scale); }, weight, bias);
  }
};

}  // namespace situ::internal::row

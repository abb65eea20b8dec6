// SPDX-License-Identifier: Apache-2.0
// The whole contract of plan/kernels.hpp in one concept, which a complete backend asserts.
#pragma once

#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/core/pack.hpp>
#include <situ/core/sequence.hpp>
#include <situ/formula/random.hpp>
#include <situ/formula/scatter.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/reduction.hpp>

namespace situ::internal {

/// Settings of a step that is no optimizer's: the parameter and its gradient, halved.
struct Halving {
  struct Step {
    using lane_functor = void;
    template <class V>
    constexpr Pack<V> operator()(V parameter, V gradient) const {
      return {{{(parameter + gradient) / V(2)}}};
    }
    float unused = 0;
  };
  constexpr Step operator()(double, std::int64_t) const { return {}; }
};

/// Every kernel, each for a few element types, except `FinishesProducts`, which a pass over the product replaces. No
/// operation requires this: a backend with a few kernels supports the operations that use them.
template <class B>
concept HasEveryKernel =
    Copies<B, float> && Evaluates<B, bool> && EvaluatesTogether<B, double> &&
    UpdatesSeveral<B, Halving, float, float> && Generates<B, float, ArithmeticSequence<float>> &&
    Samples<B, distribution::Uniform<float>> && Samples<B, distribution::Normal<bfloat16>> &&
    Reduces<B, reduction::Sum, bool> && Reduces<B, reduction::Variance, float16> &&
    Reduces<B, reduction::ArgMax, double> && Scans<B, reduction::Prod, std::uint8_t> && Softmaxes<B, float16> &&
    LogSoftmaxes<B, float> && LogSumExps<B, double> && NormalizesLayers<B, bfloat16> && CrossEntropies<B, float> &&
    Multiplies<B, float> && Multiplies<B, std::int32_t> && Convolves<B, float> && ConvolvesBack<B, float> &&
    CorrelatesGradient<B, double> && PoolsMaxima<B, float> && PoolsMaximaBack<B, float> && PoolsAverages<B, float> &&
    PoolsAveragesBack<B, double> && TakesAlong<B, float, std::int64_t> && Gathers<B, bool, std::int32_t> &&
    OneHots<B, float, std::int64_t> && Scatters<B, scattering::Replace, bool, std::int64_t> &&
    Scatters<B, scattering::Sum, float16, std::int32_t> && Sorts<B, bool> && SortsPositions<B, float> &&
    SortsFirst<B, bfloat16> && ListsTrue<B> && SelectsTrue<B, float> && SelectsTrue<B, bool>;

}  // namespace situ::internal

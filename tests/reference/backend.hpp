// SPDX-License-Identifier: Apache-2.0
// The reference device with its kernels: all of plan/kernels.hpp but one.
#pragma once

#include <cstdint>

#include <situ/core/sequence.hpp>
#include <situ/formula/random.hpp>
#include <situ/plan/kernels.hpp>

#include "elementwise.hpp"
#include "indexing.hpp"
#include "products.hpp"
#include "rows.hpp"
#include "scalar.hpp"

namespace reference {

using namespace situ::internal;
using situ::ArithmeticSequence;

static_assert(Copies<Backend> && Evaluates<Backend, bool> && EvaluatesTogether<Backend, double> &&
              Updates<Backend, program::Leaf<float, 0>, float, float> &&
              Generates<Backend, float, ArithmeticSequence<float>> &&
              Samples<Backend, distribution::Uniform<float>> && Samples<Backend, distribution::Normal<situ::bfloat16>>);
static_assert(Reduces<Backend, reduction::Sum, bool> && Reduces<Backend, reduction::Variance, situ::float16> &&
              Reduces<Backend, reduction::ArgMax, double> && Scans<Backend, reduction::Prod, std::uint8_t>);
static_assert(Softmaxes<Backend, situ::float16> && LogSoftmaxes<Backend, float> && LogSumExps<Backend, double> &&
              NormalizesLayers<Backend, situ::bfloat16> && CrossEntropies<Backend, float>);
static_assert(Multiplies<Backend, float> && Multiplies<Backend, std::int32_t> && !FinishesProducts<Backend, float>);
static_assert(Convolves<Backend, float> && ConvolvesBack<Backend, float> && CorrelatesGradient<Backend, double> &&
              PoolsMaxima<Backend, float> && PoolsMaximaBack<Backend, float> && PoolsAverages<Backend, float> &&
              PoolsAveragesBack<Backend, double>);
static_assert(TakesAlong<Backend, std::int64_t> && Gathers<Backend, std::int32_t> &&
              OneHots<Backend, float, std::int64_t> && Scatters<Backend, false, bool, std::int64_t> &&
              Scatters<Backend, true, situ::float16, std::int32_t>);
static_assert(Sorts<Backend, bool> && SortsPositions<Backend, float> && SortsLargest<Backend, situ::bfloat16>);

}  // namespace reference

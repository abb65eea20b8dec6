// SPDX-License-Identifier: Apache-2.0
// The kernels of host devices, and that they are all of plan/kernels.hpp but one: a product is finished by a pass of its own.
// Included by expression/evaluate.hpp alone.
#pragma once

#include <cstdint>

#include <situ/core/sequence.hpp>
#include <situ/cpu/convolution.hpp>
#include <situ/cpu/elementwise.hpp>
#include <situ/cpu/gather.hpp>
#include <situ/cpu/gemm/gemm.hpp>
#include <situ/cpu/generate.hpp>
#include <situ/cpu/pooling.hpp>
#include <situ/cpu/reduce/reduce.hpp>
#include <situ/cpu/rows.hpp>
#include <situ/cpu/sample.hpp>
#include <situ/cpu/scan.hpp>
#include <situ/cpu/sort.hpp>
#include <situ/device/cpu.hpp>
#include <situ/formula/random.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/reduction.hpp>

namespace situ::internal::cpu {

static_assert(Copies<Backend> && Evaluates<Backend, bool> && EvaluatesTogether<Backend, double> &&
              Updates<Backend, program::Leaf<float, 0>, float, float> &&
              Generates<Backend, float, ArithmeticSequence<float>> &&
              Samples<Backend, distribution::Uniform<float>> && Samples<Backend, distribution::Normal<bfloat16>>);
static_assert(Reduces<Backend, reduction::Sum, bool> && Reduces<Backend, reduction::Variance, float16> &&
              Reduces<Backend, reduction::ArgMax, double> && Scans<Backend, reduction::Prod, std::uint8_t>);
static_assert(Softmaxes<Backend, float16> && LogSoftmaxes<Backend, float> && LogSumExps<Backend, double> &&
              NormalizesLayers<Backend, bfloat16> && CrossEntropies<Backend, float>);
static_assert(Multiplies<Backend, float> && Multiplies<Backend, std::int32_t>);
static_assert(Convolves<Backend, float> && ConvolvesBack<Backend, float> && CorrelatesGradient<Backend, double> &&
              PoolsMaxima<Backend, float> && PoolsMaximaBack<Backend, float> && PoolsAverages<Backend, float> &&
              PoolsAveragesBack<Backend, double>);
static_assert(TakesAlong<Backend, std::int64_t> && Gathers<Backend, std::int32_t> &&
              OneHots<Backend, float, std::int64_t> && Scatters<Backend, false, bool, std::int64_t> &&
              Scatters<Backend, true, float16, std::int32_t>);
static_assert(Sorts<Backend, bool> && SortsPositions<Backend, float> && SortsLargest<Backend, bfloat16>);

}  // namespace situ::internal::cpu

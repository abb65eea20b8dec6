// SPDX-License-Identifier: Apache-2.0
// The kernels of GPUs, and that they are all of plan/kernels.hpp; copies across the border of a GPU. Included by
// expression/evaluate.hpp alone.
#pragma once

#include <situ/cuda/kernels/convolution.hpp>
#include <situ/cuda/kernels/copy.hpp>
#include <situ/cuda/kernels/elementwise.hpp>
#include <situ/cuda/kernels/gather.hpp>
#include <situ/cuda/kernels/generate.hpp>
#include <situ/cuda/kernels/matmul.hpp>
#include <situ/cuda/kernels/pooling.hpp>
#include <situ/cuda/kernels/reduce/reduce.hpp>
#include <situ/cuda/kernels/rows.hpp>
#include <situ/cuda/kernels/sample.hpp>
#include <situ/cuda/kernels/scan.hpp>
#include <situ/cuda/kernels/scatter.hpp>
#include <situ/cuda/kernels/sort/sort.hpp>
#include <situ/cuda/transfer/transfer.hpp>
#include <situ/cuda/transfer/transfer_async.hpp>

#if defined(SITU_CUDA)

#include <cstdint>

#include <situ/core/sequence.hpp>
#include <situ/formula/random.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/reduction.hpp>

namespace situ::internal::cuda {

static_assert(Copies<Backend> && Evaluates<Backend, bool> && EvaluatesTogether<Backend, double> &&
              Updates<Backend, program::Leaf<float, 0>, float, float> &&
              Generates<Backend, float, ArithmeticSequence<float>> &&
              Samples<Backend, distribution::Uniform<float>> && Samples<Backend, distribution::Normal<bfloat16>>);
static_assert(Reduces<Backend, reduction::Sum, bool> && Reduces<Backend, reduction::Variance, float16> &&
              Reduces<Backend, reduction::ArgMax, double> && Scans<Backend, reduction::Prod, std::uint8_t>);
static_assert(Softmaxes<Backend, float16> && LogSoftmaxes<Backend, float> && LogSumExps<Backend, double> &&
              NormalizesLayers<Backend, bfloat16> && CrossEntropies<Backend, float>);
static_assert(Multiplies<Backend, float> && Multiplies<Backend, std::int32_t> && FinishesProducts<Backend, bfloat16>);
static_assert(Convolves<Backend, float16> && ConvolvesBack<Backend, float> && CorrelatesGradient<Backend, double> &&
              PoolsMaxima<Backend, float> && PoolsMaximaBack<Backend, bfloat16> && PoolsAverages<Backend, float> &&
              PoolsAveragesBack<Backend, double>);
static_assert(TakesAlong<Backend, std::int64_t> && Gathers<Backend, std::int32_t> &&
              OneHots<Backend, float, std::int64_t> && Scatters<Backend, false, bool, std::int64_t> &&
              Scatters<Backend, true, float16, std::int32_t>);
static_assert(Sorts<Backend, bool> && SortsPositions<Backend, float> && SortsLargest<Backend, bfloat16>);

}  // namespace situ::internal::cuda

#endif

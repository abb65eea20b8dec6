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

#include <situ/plan/every_kernel.hpp>

namespace situ::internal::cuda {

static_assert(HasEveryKernel<Backend> && FinishesProducts<Backend, bfloat16> && Convolves<Backend, float16> &&
              PoolsMaximaBack<Backend, bfloat16>);

}  // namespace situ::internal::cuda

#endif

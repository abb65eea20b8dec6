// SPDX-License-Identifier: Apache-2.0
// All kernels of GPUs, with the assertion that they cover plan/kernels.hpp. Included only by ops/every_kernel.hpp.
#pragma once

#include <situ/cuda/expressions.hpp>
#include <situ/cuda/kernels/convolution.hpp>
#include <situ/cuda/kernels/gather.hpp>
#include <situ/cuda/kernels/mask.hpp>
#include <situ/cuda/kernels/pooling.hpp>
#include <situ/cuda/kernels/sample.hpp>
#include <situ/cuda/kernels/scatter.hpp>
#include <situ/cuda/kernels/softmax.hpp>
#include <situ/cuda/kernels/sort/sort.hpp>

#if defined(SITU_CUDA)

#include <situ/plan/every_kernel.hpp>

namespace situ::internal::cuda {

static_assert(HasEveryKernel<Backend> && FinishesProducts<Backend, bfloat16> && Convolves<Backend, float16> &&
              PoolsMaximaBack<Backend, bfloat16>);

}  // namespace situ::internal::cuda

#endif

// SPDX-License-Identifier: Apache-2.0
// In place of src/cuda/gemm.cpp on a machine without cuBLASLt, so that everything else can be built and tried there.
#include <situ/core/error.hpp>
#include <situ/cuda/kernels/gemm.hpp>

namespace situ::internal::cuda {

bool gemm(const Backend&, const Gemm&) {
  throw CudaError("this program was built without cuBLASLt, which multiplies matrices of floats", "not built", false);
}

}  // namespace situ::internal::cuda

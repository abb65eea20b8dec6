// SPDX-License-Identifier: Apache-2.0
// What a program without situ would call: a bare launch, and cuBLASLt with its heuristic's first choice and with the
// fastest of its first eight. Descriptors, algorithm and workspace are made once. And the marks that ncu looks for.
#include <cublasLt.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <memory>
#include <stdexcept>

#include "rows.hpp"

namespace rows {

namespace {

constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

void check_cublas(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + cublasLtGetStatusString(status));
}

struct Arguments {
  void* pointers[4] = {};
  std::int64_t count = 0;
};
__global__ void nothing(const __grid_constant__ Arguments) {}

cublasLtHandle_t handle() {
  static const cublasLtHandle_t made = [] {
    cublasLtHandle_t h = nullptr;
    check_cublas(cublasLtCreate(&h), "cublasLtCreate");
    return h;
  }();
  return made;
}

/// A row-major product c = a b of squares, which cuBLASLt sees as the column-major product of b and a.
template <class T>
struct Product {
  Product(const Gemm& gemm, bool fastest_of_eight) : n(gemm.size) {
    const cudaDataType type = gemm.bfloat16 ? CUDA_R_16BF : CUDA_R_32F;
    check_cublas(
        cublasLtMatmulDescCreate(&operation, gemm.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F),
        "cublasLtMatmulDescCreate");
    if (gemm.bias_and_gelu) {  // of a layer, whose weight lies transposed
      const cublasOperation_t transposed = CUBLAS_OP_T;
      check_cublas(
          cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed),
          "transposed");
      const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_GELU_BIAS;
      const void* pointer = bias.storage().data();
      check_cublas(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue),
                   "epilogue");
      check_cublas(
          cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &pointer, sizeof pointer),
          "bias");
    }
    const auto extent = static_cast<std::uint64_t>(n);
    check_cublas(cublasLtMatrixLayoutCreate(&layout, type, extent, extent, n), "cublasLtMatrixLayoutCreate");
    cublasLtMatmulPreference_t preference;
    check_cublas(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    check_cublas(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                      &workspace_bytes, sizeof workspace_bytes),
                 "preference");
    cublasLtMatmulHeuristicResult_t results[8];
    int found = 0;
    check_cublas(cublasLtMatmulAlgoGetHeuristic(handle(), operation, layout, layout, layout, layout, preference, 8,
                                                results, &found),
                 "cublasLtMatmulAlgoGetHeuristic");
    check_cublas(cublasLtMatmulPreferenceDestroy(preference), "cublasLtMatmulPreferenceDestroy");
    if (found == 0) throw std::runtime_error("cuBLASLt knows no algorithm for this product");
    algorithm = results[0].algo;
    if (fastest_of_eight) choose_fastest(results, found);
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  ~Product() {
    cublasLtMatrixLayoutDestroy(layout);
    cublasLtMatmulDescDestroy(operation);
  }

  void run() {
    const float one = 1, zero = 0;
    check_cublas(cublasLtMatmul(handle(), operation, &one, b.storage().data(), layout, a.storage().data(), layout,
                                &zero, c.storage().data(), layout, c.storage().data(), layout, &algorithm,
                                workspace.storage().data(), workspace_bytes, stream()),
                 "cublasLtMatmul");
  }

 private:
  void choose_fastest(const cublasLtMatmulHeuristicResult_t* results, int found) {
    cudaEvent_t start, end;
    check(cudaEventCreate(&start), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
    float best = -1;
    cublasLtMatmulAlgo_t fastest = algorithm;
    for (int i = 0; i < found; ++i) {
      algorithm = results[i].algo;
      float ms = 0;
      for (int repetition = 0; repetition < 2; ++repetition) {  // the first loads the kernel
        check(cudaEventRecord(start, stream()), "cudaEventRecord");
        for (int j = 0; j < 3; ++j) run();
        check(cudaEventRecord(end, stream()), "cudaEventRecord");
        check(cudaEventSynchronize(end), "cudaEventSynchronize");
        check(cudaEventElapsedTime(&ms, start, end), "cudaEventElapsedTime");
      }
      if (best < 0 || ms < best) {
        best = ms;
        fastest = algorithm;
      }
    }
    algorithm = fastest;
    check(cudaEventDestroy(start), "cudaEventDestroy");
    check(cudaEventDestroy(end), "cudaEventDestroy");
  }

  std::int64_t n;
  Tensor<T> a = situ::randn<T>({n, n}, gpu<0>), b = situ::randn<T>({n, n}, gpu<0>), c = situ::zeros<T>({n, n}, gpu<0>);
  Tensor<T> bias = situ::randn<T>({n}, gpu<0>);
  Tensor<std::uint8_t> workspace = situ::zeros<std::uint8_t>({static_cast<std::int64_t>(workspace_bytes)}, gpu<0>);
  cublasLtMatmulDesc_t operation{};
  cublasLtMatrixLayout_t layout{};
  cublasLtMatmulAlgo_t algorithm{};
};

template <class T>
std::function<void()> product(const Gemm& gemm, bool fastest_of_eight) {
  return [made = std::make_shared<Product<T>>(gemm, fastest_of_eight)] { made->run(); };
}

}  // namespace

std::function<void()> cublaslt(const Gemm& gemm, bool fastest_of_eight) {
  return gemm.bfloat16 ? product<situ::bfloat16>(gemm, fastest_of_eight) : product<float>(gemm, fastest_of_eight);
}

std::function<void()> bare_launch() {
  return [] { nothing<<<1, 32, 0, stream()>>>(Arguments{}); };
}

void profile(const std::function<void()>& work) {
  check(cudaProfilerStart(), "cudaProfilerStart");
  work();
  wait();
  check(cudaProfilerStop(), "cudaProfilerStop");
}

}  // namespace rows

// SPDX-License-Identifier: Apache-2.0
// cuBLAS: which form its GELU epilogue has, what its RELU epilogue makes of NaN, whether cublasSetStream takes a given
// workspace away, and the costs of handles, heuristics and calls.
#include <cublasLt.h>
#include <cublas_v2.h>

#include <cmath>
#include <limits>

#include "probe.hpp"

namespace {

void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  probe::verdict(false, what, cublasGetStatusString(status));
  std::exit(1);
}

/// A product of column-major n x n floats by cublasLt, with its heuristic's first choice.
struct Product {
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t operation;
  cublasLtMatrixLayout_t layout;
  cublasLtMatmulPreference_t preference;
  cublasLtMatmulHeuristicResult_t chosen{};
  int found = 0;

  Product(cublasLtHandle_t to, int n, cublasLtEpilogue_t epilogue, std::size_t workspace) : handle(to) {
    check(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    check(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue),
          "epilogue");
    check(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(n),
                                     n),
          "cublasLtMatrixLayoutCreate");
    check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                               sizeof workspace),
          "workspace");
    choose();
  }
  void choose() {
    cublasLtMatmulAlgoGetHeuristic(handle, operation, layout, layout, layout, layout, preference, 1, &chosen, &found);
  }
  cublasStatus_t run(const float* a, const float* b, float* c, void* workspace, std::size_t bytes,
                     cudaStream_t stream) {
    const float one = 1, zero = 0;
    return cublasLtMatmul(handle, operation, &one, a, layout, b, layout, &zero, c, layout, c, layout, &chosen.algo,
                          workspace, bytes, stream);
  }
};

constexpr int side = 128;

/// What an epilogue makes of `values`, a matrix of 128 x 128 times the unit matrix; nothing where there is no kernel.
std::vector<float> after_epilogue(cublasLtHandle_t handle, cudaStream_t stream, cublasLtEpilogue_t epilogue,
                                  const std::vector<float>& values) {
  constexpr std::size_t bytes = side * side * sizeof(float);
  std::vector<float> identity(side * side, 0.f), result(side * side);
  for (int i = 0; i < side; ++i) identity[static_cast<std::size_t>(i * side + i)] = 1;
  float *a, *b, *c;
  for (float** pointer : {&a, &b, &c}) probe::check(cudaMalloc(pointer, bytes), "cudaMalloc");
  probe::check(cudaMemcpy(a, identity.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  probe::check(cudaMemcpy(b, values.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  Product product(handle, side, epilogue, 0);
  if (product.found == 0) return {};
  check(product.run(a, b, c, nullptr, 0, stream), "cublasLtMatmul with an epilogue");
  probe::check(cudaStreamSynchronize(stream), "synchronize");
  probe::check(cudaMemcpy(result.data(), c, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  for (float* pointer : {a, b, c}) probe::check(cudaFree(pointer), "cudaFree");
  return result;
}

void relu(cublasLtHandle_t handle, cudaStream_t stream) {
  const char* point = "the RELU epilogue of cuBLASLt gives NaN for NaN, as relu does";
  // The first column NaN: a product with the unit matrix spreads a NaN over its column, and leaves the others alone.
  std::vector<float> values(side * side, -2.f);
  std::fill(values.begin(), values.begin() + side, std::numeric_limits<float>::quiet_NaN());
  const std::vector<float> result = after_epilogue(handle, stream, CUBLASLT_EPILOGUE_RELU, values);
  if (result.empty()) return probe::untestable(point, "no algorithm for fp32 with CUBLASLT_EPILOGUE_RELU");
  const bool sound = result.back() == 0;
  probe::verdict(sound && std::isnan(result.front()), point,
                 "of NaN " + probe::text(result.front(), "") + ", of -2 " + probe::text(result.back(), ""));
}

void gelu(cublasLtHandle_t handle, cudaStream_t stream) {
  std::vector<float> values(side * side);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = -6 + 12 * static_cast<float>(i) / static_cast<float>(values.size() - 1);
  const char* point = "the GELU epilogue of cuBLASLt is the tanh form";
  const std::vector<float> result = after_epilogue(handle, stream, CUBLASLT_EPILOGUE_GELU, values);
  if (result.empty()) return probe::untestable(point, "no algorithm for fp32 with CUBLASLT_EPILOGUE_GELU");
  double from_tanh = 0, from_erf = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double x = values[i];
    const double by_tanh = 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    const double by_erf = 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    from_tanh = std::max(from_tanh, std::abs(result[i] - by_tanh));
    from_erf = std::max(from_erf, std::abs(result[i] - by_erf));
  }
  probe::verdict(from_tanh < from_erf, point,
                 "largest difference on [-6, 6] from the tanh form " + probe::text(from_tanh, "") +
                     ", from the erf form " + probe::text(from_erf, ""));
}

/// Whether a product with a long inner extent writes into the workspace that was set before `cublasSetStream`.
bool uses_workspace(bool set_stream_after, cudaStream_t stream) {
  constexpr std::size_t bytes = std::size_t{32} << 20;
  constexpr int m = 64, k = 1 << 16;
  cublasHandle_t handle;
  check(cublasCreate(&handle), "cublasCreate");
  check(cublasSetStream(handle, stream), "cublasSetStream");
  unsigned char* workspace = nullptr;
  float *a, *b, *c;
  probe::check(cudaMalloc(&workspace, bytes), "cudaMalloc");
  probe::check(cudaMalloc(&a, sizeof(float) * m * k), "cudaMalloc");
  probe::check(cudaMalloc(&b, sizeof(float) * m * k), "cudaMalloc");
  probe::check(cudaMalloc(&c, sizeof(float) * m * m), "cudaMalloc");
  probe::check(cudaMemset(workspace, 0xa5, bytes), "cudaMemset");
  probe::check(cudaMemset(a, 0x3f, sizeof(float) * m * k), "cudaMemset");
  probe::check(cudaMemset(b, 0x3f, sizeof(float) * m * k), "cudaMemset");
  probe::check(cudaDeviceSynchronize(), "synchronize");
  check(cublasSetWorkspace(handle, workspace, bytes), "cublasSetWorkspace");
  if (set_stream_after) check(cublasSetStream(handle, stream), "cublasSetStream");
  const float one = 1, zero = 0;
  check(cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, m, k, &one, a, k, b, k, &zero, c, m), "cublasSgemm");
  probe::check(cudaDeviceSynchronize(), "synchronize");
  std::vector<unsigned char> seen(bytes);
  probe::check(cudaMemcpy(seen.data(), workspace, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  const bool written = std::any_of(seen.begin(), seen.end(), [](unsigned char byte) { return byte != 0xa5; });
  check(cublasDestroy(handle), "cublasDestroy");
  for (void* p : {static_cast<void*>(workspace), static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c)}) {
    probe::check(cudaFree(p), "cudaFree");
  }
  return written;
}

}  // namespace

int main() {
  probe::start();
  cudaStream_t stream;
  probe::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  cublasLtHandle_t handle, next;
  double start = probe::now_ns();
  check(cublasLtCreate(&handle), "cublasLtCreate");
  const double first = (probe::now_ns() - start) / 1e6;
  start = probe::now_ns();
  check(cublasLtCreate(&next), "cublasLtCreate");
  const double second = (probe::now_ns() - start) / 1e6;
  probe::figure("cublas: first cublasLtCreate", first, "ms");
  probe::figure("cublas: second cublasLtCreate", second, "ms");
  gelu(handle, stream);
  relu(handle, stream);

  constexpr int n = 256;
  constexpr std::size_t bytes = std::size_t{32} << 20;
  float *a, *b, *c;
  void* workspace;
  probe::check(cudaMalloc(&a, n * n * sizeof(float)), "cudaMalloc");
  probe::check(cudaMalloc(&b, n * n * sizeof(float)), "cudaMalloc");
  probe::check(cudaMalloc(&c, n * n * sizeof(float)), "cudaMalloc");
  probe::check(cudaMalloc(&workspace, bytes), "cudaMalloc");
  probe::check(cudaMemset(a, 0x3f, n * n * sizeof(float)), "cudaMemset");
  probe::check(cudaMemset(b, 0x3f, n * n * sizeof(float)), "cudaMemset");
  Product product(handle, n, CUBLASLT_EPILOGUE_DEFAULT, bytes);
  start = probe::now_ns();
  check(product.run(a, b, c, workspace, bytes, stream), "cublasLtMatmul");
  probe::figure("cublas: first product", (probe::now_ns() - start) / 1e3, "us");
  probe::figure("cublas: cublasLtMatmulAlgoGetHeuristic", probe::host_ns([&] { product.choose(); }, 20) / 1e3, "us");
  probe::figure("cublas: cublasLtMatmul of 256^3, descriptors and algorithm kept, host",
                probe::host_ns([&] { product.run(a, b, c, workspace, bytes, stream); }, 100) / 1e3, "us");

  const char* point = "cublasSetStream takes a workspace that was set before it away";
  if (!uses_workspace(false, stream)) {
    probe::untestable(point, "the product did not write into a workspace that was set last either");
  } else {
    const bool kept = uses_workspace(true, stream);
    probe::verdict(!kept, point, kept ? "the workspace was still written" : "the workspace was left alone");
  }
  return 0;
}

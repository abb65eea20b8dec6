// SPDX-License-Identifier: Apache-2.0
// Matrix products by cuBLASLt, compiled once; the only file that includes it. What does not change from call to call is
// kept for each thread and device: a handle, and for each kind of product its descriptors and the chosen algorithm.
#include <cublasLt.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include <situ/core/error.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/kernels/gemm.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/cuda/runtime/stream.hpp>

#include "thread_contexts.hpp"

namespace situ::internal::cuda {

namespace {

/// What an algorithm may use beside its operands. Less costs Hopper's kernels much of their speed.
constexpr std::size_t most_workspace = std::size_t{32} << 20;
/// The kinds of product that a thread keeps; a program that has more makes them anew.
constexpr std::size_t most_plans = 4096;

[[nodiscard]] const char* name_of(GemmType type) {
  constexpr const char* names[] = {"float16", "bfloat16", "float32", "float64"};
  return names[static_cast<int>(type)];
}

[[noreturn]] void fail(cublasStatus_t status, int ordinal, const Gemm* product) {
  const std::string name = cublasLtGetStatusName(status);
  std::string message =
      "matmul failed on " + device_name(ordinal) + ": " + name + ": " + cublasLtGetStatusString(status);
  if (product != nullptr) {
    const auto text = [](std::int64_t number) { return std::to_string(number); };
    message += "; shapes (" + text(product->m) + ", " + text(product->k) + ") and (" + text(product->k) + ", " +
               text(product->n) + ") of " + name_of(product->type);
    if (product->count > 1) message += ", " + text(product->count) + " of them";
    if (product->precision == Precision::tf32) message += ", precision tf32";
  }
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) message += "; cuBLASLt has no kernel for this product on this GPU";
  else if (status == CUBLAS_STATUS_ALLOC_FAILED || status == CUBLAS_STATUS_NOT_INITIALIZED)
    message += "; the GPU may have no memory left for the library: release tensors that are no longer needed";
  else if (status == CUBLAS_STATUS_EXECUTION_FAILED)
    message += "; the error may come from an earlier operation: compute-sanitizer says which";
  throw CudaError(message, name, status == CUBLAS_STATUS_EXECUTION_FAILED);
}

void check(cublasStatus_t status, int ordinal, const Gemm* product = nullptr) {
  if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]]
    fail(status, ordinal, product);
}

/// All that the choice of an algorithm depends on.
using Key = std::array<std::int64_t, 9>;
struct HashKey {
  [[nodiscard]] std::size_t operator()(const Key& key) const noexcept {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::int64_t word : key) {
      hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return static_cast<std::size_t>(hash);
  }
};

/// The alignment of a pointer, up to 16 bytes: an exponent of 2.
[[nodiscard]] int alignment(const void* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  int exponent = 0;
  while (exponent < 4 && (address >> exponent & 1) == 0) ++exponent;
  return exponent;
}

[[nodiscard]] Key key_of(const Gemm& x) {
  const int flags = static_cast<int>(x.type) | (x.precision == Precision::tf32 ? 4 : 0) | (x.a.transposed ? 8 : 0) |
                    (x.b.transposed ? 16 : 0) | (x.bias != nullptr ? 32 : 0) | static_cast<int>(x.activation) << 6 |
                    alignment(x.a.data) << 8 | alignment(x.b.data) << 12 | alignment(x.c) << 16 |
                    alignment(x.bias) << 20;
  return {flags, x.m, x.n, x.k, x.a.ld, x.b.ld, x.a.batch, x.b.batch, x.count};
}

[[nodiscard]] cudaDataType_t data_type(GemmType type) {
  constexpr cudaDataType_t types[] = {CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F};
  return types[static_cast<int>(type)];
}

[[nodiscard]] cublasComputeType_t compute_type(const Gemm& x) {
  if (x.type == GemmType::float64) return CUBLAS_COMPUTE_64F;
  if (x.type == GemmType::float32 && x.precision == Precision::tf32) return CUBLAS_COMPUTE_32F_FAST_TF32;
  return CUBLAS_COMPUTE_32F;
}

[[nodiscard]] cublasLtEpilogue_t epilogue(const Gemm& x) {
  if (x.activation == Activation::relu) return x.bias != nullptr ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
  if (x.activation == Activation::gelu_tanh)
    return x.bias != nullptr ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
  return x.bias != nullptr ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

template <auto Destroy>
struct Destroyer {
  template <class T>
  void operator()(T* object) const noexcept {
    static_cast<void>(Destroy(object));
  }
};
template <class Handle, auto Destroy>
using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Destroyer<Destroy>>;
using Layout = Owner<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Description = Owner<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Preference = Owner<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

/// A kind of product, ready to be run. cuBLASLt's matrices lie by columns: it is given the transposes, C^T = B^T A^T,
/// which are the same memory, so that "rows" there are our columns, and a bias for each row of C^T is ours for each
/// column.
struct Plan {
  Description description;
  Layout b, a, c;
  cublasLtMatmulAlgo_t algorithm{};
  std::size_t workspace = 0;
  bool finishes = true;  // with bias and activation
};

[[nodiscard]] Layout make_layout(GemmType type, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                                 std::int64_t count, std::int64_t batch, int ordinal) {
  cublasLtMatrixLayout_t made = nullptr;
  check(cublasLtMatrixLayoutCreate(&made, data_type(type), static_cast<std::uint64_t>(rows),
                                   static_cast<std::uint64_t>(columns), ld),
        ordinal);
  Layout layout(made);
  const auto matrices = static_cast<std::int32_t>(count);
  check(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &matrices, sizeof(matrices)),
        ordinal);
  check(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &batch, sizeof(batch)),
        ordinal);
  return layout;
}

/// The layout of an operand of `rows` x `columns`, as the transpose that cuBLASLt sees unless it is read transposed.
[[nodiscard]] Layout make_layout(const Gemm& x, const GemmOperand& operand, std::int64_t rows, std::int64_t columns,
                                 int ordinal) {
  return make_layout(x.type, operand.transposed ? rows : columns, operand.transposed ? columns : rows, operand.ld,
                     x.count, operand.batch, ordinal);
}

template <class Value>
void set(const Description& description, cublasLtMatmulDescAttributes_t attribute, const Value& value, int ordinal) {
  check(cublasLtMatmulDescSetAttribute(description.get(), attribute, &value, sizeof(value)), ordinal);
}
template <class Value>
void set(const Preference& preference, cublasLtMatmulPreferenceAttributes_t attribute, const Value& value,
         int ordinal) {
  check(cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &value, sizeof(value)), ordinal);
}

[[nodiscard]] Preference make_preference(const Gemm& x, int ordinal) {
  cublasLtMatmulPreference_t made = nullptr;
  check(cublasLtMatmulPreferenceCreate(&made), ordinal);
  Preference preference(made);
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{most_workspace}, ordinal);
  // Partial sums of 16-bit floats must not be rounded before the end.
  constexpr std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reductions, ordinal);
  const auto bytes = [](const void* data) { return std::uint32_t{1} << alignment(data); };
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, bytes(x.b.data), ordinal);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, bytes(x.a.data), ordinal);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, bytes(x.c), ordinal);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, bytes(x.c), ordinal);
  return preference;
}

/// The handle of one thread for one device, and its plans.
struct Context {
  int ordinal = 0;
  cublasLtHandle_t handle = nullptr;
  std::unordered_map<Key, Plan, HashKey> plans;

  /// See `context_of`.
  [[nodiscard]] bool open(bool again) {
    const cublasStatus_t status = cublasLtCreate(&handle);
    if (!again && (status == CUBLAS_STATUS_ALLOC_FAILED || status == CUBLAS_STATUS_NOT_INITIALIZED)) return false;
    check(status, ordinal);
    return true;
  }

  /// Descriptors for `x`, and the algorithm that cuBLASLt thinks best, with as much of the end as it has kernels for.
  [[nodiscard]] Plan make_plan(const Gemm& x, bool with_end) const {
    Plan plan;
    plan.finishes = with_end || epilogue(x) == CUBLASLT_EPILOGUE_DEFAULT;
    const cudaDataType_t scale = x.type == GemmType::float64 ? CUDA_R_64F : CUDA_R_32F;
    cublasLtMatmulDesc_t made = nullptr;
    check(cublasLtMatmulDescCreate(&made, compute_type(x), scale), ordinal);
    plan.description.reset(made);
    const auto operation = [](const GemmOperand& operand) { return operand.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
    set(plan.description, CUBLASLT_MATMUL_DESC_TRANSA, operation(x.b), ordinal);
    set(plan.description, CUBLASLT_MATMUL_DESC_TRANSB, operation(x.a), ordinal);
    if (with_end) {
      set(plan.description, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue(x), ordinal);
      if (x.bias != nullptr) {
        set(plan.description, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, data_type(x.type), ordinal);
        set(plan.description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, x.bias, ordinal);
      }
    }
    plan.b = make_layout(x, x.b, x.k, x.n, ordinal);
    plan.a = make_layout(x, x.a, x.m, x.k, ordinal);
    plan.c = make_layout(x.type, x.n, x.m, x.n, x.count, x.m * x.n, ordinal);
    const Preference preference = make_preference(x, ordinal);
    cublasLtMatmulHeuristicResult_t found{};
    int count = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(handle, made, plan.b.get(), plan.a.get(), plan.c.get(),
                                                                 plan.c.get(), preference.get(), 1, &found, &count);
    const bool none = status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE ||
                      (status == CUBLAS_STATUS_SUCCESS && (count == 0 || found.state != CUBLAS_STATUS_SUCCESS));
    if (none && with_end && epilogue(x) != CUBLASLT_EPILOGUE_DEFAULT) return make_plan(x, false);
    check(none ? CUBLAS_STATUS_NOT_SUPPORTED : status, ordinal, &x);
    plan.algorithm = found.algo;
    plan.workspace = found.workspaceSize;
    return plan;
  }

  [[nodiscard]] const Plan& plan_for(const Gemm& x) {
    const Key key = key_of(x);
    if (const auto found = plans.find(key); found != plans.end()) return found->second;
    if (plans.size() >= most_plans) plans.clear();
    // cuBLASLt has the ends for sums in float
    return plans.emplace(key, make_plan(x, x.type != GemmType::float64)).first->second;
  }
};

}  // namespace

bool gemm(const Backend& backend, const Gemm& x) {
  DeviceState& device = *backend.stream->device;
  const DeviceGuard guard(device.physical, backend.ordinal);
  Context& context = context_of<Context>(device);
  const Plan& plan = context.plan_for(x);
  if (plan.finishes && x.bias != nullptr)
    set(plan.description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, x.bias, backend.ordinal);
  const Scratch workspace(backend, plan.workspace);
  const float one = 1, kept = x.adds ? 1 : 0;
  const double double_one = 1, double_kept = x.adds ? 1 : 0;
  const bool wide = x.type == GemmType::float64;
  check(cublasLtMatmul(context.handle, plan.description.get(), wide ? static_cast<const void*>(&double_one) : &one,
                       x.b.data, plan.b.get(), x.a.data, plan.a.get(),
                       wide ? static_cast<const void*>(&double_kept) : &kept, x.c, plan.c.get(), x.c, plan.c.get(),
                       &plan.algorithm, workspace.data(), plan.workspace, stream_of(backend)),
        backend.ordinal, &x);
  return plan.finishes;
}

}  // namespace situ::internal::cuda

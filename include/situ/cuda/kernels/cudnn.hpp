// SPDX-License-Identifier: Apache-2.0
// The interface to cuDNN, which is loaded at the first convolution on a GPU and never required: src/cuda/cudnn.cpp
// finds it; the emulation has it only in tests.
#pragma once

#include <cstdint>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/kernels/gemm.hpp>
#include <situ/plan/window.hpp>

#if defined(SITU_CUDA)

#if defined(SITU_CUDA_EMULATED)
#include <atomic>
#endif

namespace situ::internal::cuda {

// The parts of cuDNN's graph API that are used; the values are cuDNN's.

enum class CudnnKind {
  convolution = 1,
  engine = 2,
  engine_choice = 3,
  heuristic = 4,
  plan = 5,
  forward = 10,
  weight_gradient = 11,
  input_gradient = 12,
  graph = 15,
  variant_pack = 16,
  tensor = 17
};

enum class CudnnAttribute {
  convolution_compute_type = 100,
  convolution_mode = 101,
  convolution_dilations = 102,
  convolution_strides = 103,
  convolution_paddings_behind = 104,
  convolution_paddings_before = 105,
  convolution_axes = 106,
  heuristic_mode = 200,
  heuristic_graph = 201,
  heuristic_results = 202,
  choice_engine = 300,
  plan_handle = 400,
  plan_choice = 401,
  plan_workspace = 402,
  forward_alpha = 700,  // followed, here and in the other two, by: beta, the convolution, the weight, x, y
  input_gradient_alpha = 706,
  weight_gradient_alpha = 712,
  graph_handle = 800,
  graph_operations = 801,
  tensor_alignment = 900,
  tensor_type = 901,
  tensor_extents = 902,
  tensor_strides = 903,
  tensor_id = 906,
  pack_ids = 1000,
  pack_pointers = 1001,
  pack_workspace = 1003,
  engine_notes = 1303
};

/// The type of an attribute's values.
enum class CudnnType {
  handle = 0,
  data_type = 1,
  int64 = 3,
  float32 = 4,
  float64 = 5,
  pointer = 6,
  convolution_mode = 7,
  heuristic_mode = 8,
  note = 11,
  object = 15
};

/// cuDNN's notes on an engine's arithmetic.
enum class CudnnNote {
  tensor_core = 0,
  down_converts = 1,
  reduces_in_less = 2,
  fft = 3,
  nondeterministic = 4,
  winograd = 5,
  winograd_4x4 = 6,
  winograd_6x6 = 7,
  winograd_13x13 = 8
};
inline constexpr std::int64_t cudnn_notes = 16;  // more than exist

/// Functions that return an `int` return 0 on success.
struct Cudnn {
  int (*create)(void** handle);
  int (*set_stream)(void* handle, api::Stream stream);
  int (*make)(CudnnKind kind, void** object);
  int (*destroy)(void* object);
  int (*finalize)(void* object);
  int (*set)(void* object, CudnnAttribute attribute, CudnnType type, std::int64_t count, const void* values);
  int (*get)(void* object, CudnnAttribute attribute, CudnnType type, std::int64_t most, std::int64_t* count,
             void* values);
  int (*execute)(void* handle, void* plan, void* pack);
  const char* (*error_text)(int error);
};

/// cuDNN, or null if it is not available: libcudnn.so.9 cannot be loaded, or SITU_CUDNN=0 is in the environment.
[[nodiscard]] const Cudnn* cudnn();

#if defined(SITU_CUDA_EMULATED)
namespace detail {
inline constinit std::atomic<const Cudnn*> emulated_cudnn{nullptr};
}
inline const Cudnn* cudnn() { return detail::emulated_cudnn.load(); }
#endif

/// The task of a convolution: computes one of y, x and the weight from the other two.
enum class CudnnTask { forward, input_gradient, weight_gradient };

/// Computes y, x or the weight, of elements of `type`, from the others, or `adds` to its present value. False if cuDNN
/// is not available, or has no engine that computes the same bits in every run, keeps the precision required by
/// `c.precision`, and fits in the working memory. Throws `CudaError`.
[[nodiscard]] bool convolve_by_cudnn(const Backend& backend, CudnnTask task, GemmType type,
                                     const program::Convolution& c, const void* x, const void* weight, const void* y,
                                     bool adds);

}  // namespace situ::internal::cuda

#endif

// SPDX-License-Identifier: Apache-2.0
// cuDNN, loaded when a program first convolves on a GPU. Its header is not needed: what is used of its graphs is a few
// functions of C, with integers and pointers.
#include <situ/cuda/kernels/cudnn_convolution.hpp>

#include "on_demand.hpp"

#if __has_include(<cudnn.h>)
#include <cudnn.h>  // to compare with, if it is of this version
#endif

namespace situ::internal::cuda {

namespace {

#if defined(CUDNN_MAJOR) && CUDNN_MAJOR >= 9
template <class Ours, class Theirs>
constexpr bool same_order(Ours ours, Theirs alpha, Theirs beta, Theirs convolution, Theirs weight, Theirs x, Theirs y) {
  const int first = static_cast<int>(ours);
  return same(first, alpha) && same(first + 1, beta) && same(first + 2, convolution) && same(first + 3, weight) &&
         same(first + 4, x) && same(first + 5, y);
}
using Kind = CudnnKind;
static_assert(same(Kind::convolution, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR) &&
              same(Kind::engine, CUDNN_BACKEND_ENGINE_DESCRIPTOR) &&
              same(Kind::engine_choice, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR) &&
              same(Kind::heuristic, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR) &&
              same(Kind::plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) &&
              same(Kind::forward, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR) &&
              same(Kind::weight_gradient, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR) &&
              same(Kind::input_gradient, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR) &&
              same(Kind::graph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) &&
              same(Kind::variant_pack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR) &&
              same(Kind::tensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR));
using Name = CudnnAttribute;
static_assert(same(Name::convolution_compute_type, CUDNN_ATTR_CONVOLUTION_COMP_TYPE) &&
              same(Name::convolution_mode, CUDNN_ATTR_CONVOLUTION_CONV_MODE) &&
              same(Name::convolution_dilations, CUDNN_ATTR_CONVOLUTION_DILATIONS) &&
              same(Name::convolution_strides, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES) &&
              same(Name::convolution_paddings_behind, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS) &&
              same(Name::convolution_paddings_before, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS) &&
              same(Name::convolution_axes, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS));
static_assert(same(Name::heuristic_mode, CUDNN_ATTR_ENGINEHEUR_MODE) &&
              same(Name::heuristic_graph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH) &&
              same(Name::heuristic_results, CUDNN_ATTR_ENGINEHEUR_RESULTS) &&
              same(Name::choice_engine, CUDNN_ATTR_ENGINECFG_ENGINE) &&
              same(Name::engine_notes, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE) &&
              same(Name::plan_handle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE) &&
              same(Name::plan_choice, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG) &&
              same(Name::plan_workspace, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE) &&
              same(Name::graph_handle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE) &&
              same(Name::graph_operations, CUDNN_ATTR_OPERATIONGRAPH_OPS));
static_assert(same_order(Name::forward_alpha, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y));
static_assert(same_order(Name::input_gradient_alpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY));
static_assert(same_order(Name::weight_gradient_alpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY));
static_assert(same(Name::tensor_alignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT) &&
              same(Name::tensor_type, CUDNN_ATTR_TENSOR_DATA_TYPE) &&
              same(Name::tensor_extents, CUDNN_ATTR_TENSOR_DIMENSIONS) &&
              same(Name::tensor_strides, CUDNN_ATTR_TENSOR_STRIDES) &&
              same(Name::tensor_id, CUDNN_ATTR_TENSOR_UNIQUE_ID) &&
              same(Name::pack_ids, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS) &&
              same(Name::pack_pointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS) &&
              same(Name::pack_workspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE));
using Type = CudnnType;
static_assert(same(Type::handle, CUDNN_TYPE_HANDLE) && same(Type::data_type, CUDNN_TYPE_DATA_TYPE) &&
              same(Type::int64, CUDNN_TYPE_INT64) && same(Type::float32, CUDNN_TYPE_FLOAT) &&
              same(Type::float64, CUDNN_TYPE_DOUBLE) && same(Type::pointer, CUDNN_TYPE_VOID_PTR) &&
              same(Type::convolution_mode, CUDNN_TYPE_CONVOLUTION_MODE) &&
              same(Type::heuristic_mode, CUDNN_TYPE_HEUR_MODE) && same(Type::note, CUDNN_TYPE_NUMERICAL_NOTE) &&
              same(Type::object, CUDNN_TYPE_BACKEND_DESCRIPTOR));
using Note = CudnnNote;
static_assert(same(Note::tensor_core, CUDNN_NUMERICAL_NOTE_TENSOR_CORE) &&
              same(Note::down_converts, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) &&
              same(Note::reduces_in_less, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION) &&
              same(Note::fft, CUDNN_NUMERICAL_NOTE_FFT) &&
              same(Note::nondeterministic, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC) &&
              same(Note::winograd, CUDNN_NUMERICAL_NOTE_WINOGRAD) &&
              same(Note::winograd_4x4, CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4) &&
              same(Note::winograd_6x6, CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6) &&
              same(Note::winograd_13x13, CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13) &&
              CUDNN_NUMERICAL_NOTE_TYPE_COUNT <= cudnn_notes);
static_assert(detail::cudnn_data_type(GemmType::float16) == CUDNN_DATA_HALF &&
              detail::cudnn_data_type(GemmType::bfloat16) == CUDNN_DATA_BFLOAT16 &&
              detail::cudnn_data_type(GemmType::float32) == CUDNN_DATA_FLOAT &&
              detail::cudnn_data_type(GemmType::float64) == CUDNN_DATA_DOUBLE);
static_assert(CUDNN_CROSS_CORRELATION == 1 && CUDNN_HEUR_MODE_A == 3 && CUDNN_HEUR_MODE_FALLBACK == 2);
static_assert(sizeof(cudnnBackendNumericalNote_t) == 4 && sizeof(cudnnDataType_t) == 4 && CUDNN_STATUS_SUCCESS == 0);
#endif

/// The functions that the table has; an enumeration of C is passed as an `int` is.
[[nodiscard]] bool load(Cudnn& library) {
  return OnDemand("SITU_CUDNN", {"libcudnn.so.9"})
      .find("cudnnCreate", library.create, "cudnnSetStream", library.set_stream, "cudnnBackendCreateDescriptor",
            library.make, "cudnnBackendDestroyDescriptor", library.destroy, "cudnnBackendFinalize", library.finalize,
            "cudnnBackendExecute", library.execute, "cudnnBackendSetAttribute", library.set, "cudnnBackendGetAttribute",
            library.get, "cudnnGetErrorString", library.error_text);
}

}  // namespace

const Cudnn* cudnn() {
  static const Cudnn* const found = [] {
    static Cudnn library{};
    return load(library) ? &library : nullptr;
  }();
  return found;
}

}  // namespace situ::internal::cuda

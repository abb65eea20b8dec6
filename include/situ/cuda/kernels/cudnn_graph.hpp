// SPDX-License-Identifier: Apache-2.0
// A convolution as a cuDNN graph: one operation with its tensors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <situ/cuda/kernels/cudnn.hpp>
#include <situ/cuda/kernels/gemm.hpp>
#include <situ/plan/window.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::detail {

/// A cuDNN object. After the first failed call, later ones do nothing, and it is not `good`.
class CudnnPart {
 public:
  CudnnPart(const Cudnn& library, CudnnKind kind) : library_(&library) {
    good_ = library.make(kind, &object_) == 0 && object_ != nullptr;
  }
  CudnnPart(CudnnPart&& other) noexcept
      : library_(other.library_), object_(std::exchange(other.object_, nullptr)), good_(other.good_) {}
  CudnnPart& operator=(CudnnPart&&) = delete;
  ~CudnnPart() {
    if (object_ != nullptr) static_cast<void>(library_->destroy(object_));
  }

  template <class V, std::size_t Size>
  CudnnPart& set(CudnnAttribute attribute, CudnnType type, const std::array<V, Size>& values) {
    good_ = good_ && library_->set(object_, attribute, type, static_cast<std::int64_t>(Size), values.data()) == 0;
    return *this;
  }
  template <class V>
  CudnnPart& set(CudnnAttribute attribute, CudnnType type, const V& value) {
    return set(attribute, type, std::array{value});
  }
  CudnnPart& set(CudnnAttribute attribute, const CudnnPart& part) {
    good_ = good_ && part.good_;
    return set(attribute, CudnnType::object, part.object_);
  }
  CudnnPart& finalize() {
    good_ = good_ && library_->finalize(object_) == 0;
    return *this;
  }

  [[nodiscard]] bool good() const noexcept { return good_; }
  [[nodiscard]] void* get() const noexcept { return object_; }

 private:
  const Cudnn* library_;
  void* object_ = nullptr;
  bool good_ = false;
};

/// Everything that a graph and its plan depend on.
struct CudnnProblem {
  CudnnTask task;
  GemmType type;
  program::Convolution c;
  bool adds;
  std::array<std::int64_t, 3> alignments;  // in bytes, of x, weight, y

  using Key = std::array<std::int64_t, 21>;
  [[nodiscard]] Key key() const {
    const auto& [down, across] = c.window;
    const std::int64_t flags = static_cast<std::int64_t>(task) | static_cast<std::int64_t>(type) << 4 |
                               static_cast<std::int64_t>(c.precision) << 8 | static_cast<std::int64_t>(adds) << 12;
    return {flags,         c.images,      c.groups,      c.in_channels, c.out_channels, c.working_memory,
            down.in,       down.out,      down.kernel,   down.stride,   down.padding,   down.dilation,
            across.in,     across.out,    across.kernel, across.stride, across.padding, across.dilation,
            alignments[0], alignments[1], alignments[2]};
  }
};

enum : std::int64_t { cudnn_x = 1, cudnn_weight = 2, cudnn_y = 3 };  // the tensors of a graph

[[nodiscard]] constexpr std::int32_t cudnn_data_type(GemmType type) {
  constexpr std::int32_t types[] = {2, 9, 0, 1};
  return types[static_cast<int>(type)];
}

[[nodiscard]] inline CudnnPart cudnn_tensor(const Cudnn& library, const CudnnProblem& problem, std::int64_t id,
                                            const std::array<std::int64_t, 4>& extents) {
  CudnnPart tensor(library, CudnnKind::tensor);
  const auto [n, c, h, w] = extents;
  tensor.set(CudnnAttribute::tensor_type, CudnnType::data_type, cudnn_data_type(problem.type))
      .set(CudnnAttribute::tensor_id, CudnnType::int64, id)
      .set(CudnnAttribute::tensor_extents, CudnnType::int64, extents)
      .set(CudnnAttribute::tensor_strides, CudnnType::int64, std::array<std::int64_t, 4>{c * h * w, h * w, w, 1})
      .set(CudnnAttribute::tensor_alignment, CudnnType::int64, problem.alignments[static_cast<std::size_t>(id - 1)])
      .finalize();
  return tensor;
}

/// The graph of the operation, after its parts.
[[nodiscard]] inline std::vector<CudnnPart> cudnn_graph(const Cudnn& library, void* handle,
                                                        const CudnnProblem& problem) {
  const program::Convolution& c = problem.c;
  const auto& [down, across] = c.window;
  const bool wide = problem.type == GemmType::float64;
  std::vector<CudnnPart> parts;
  parts.push_back(cudnn_tensor(library, problem, cudnn_x, {c.images, c.groups * c.in_channels, down.in, across.in}));
  parts.push_back(cudnn_tensor(library, problem, cudnn_weight,
                               {c.groups * c.out_channels, c.in_channels, down.kernel, across.kernel}));
  parts.push_back(cudnn_tensor(library, problem, cudnn_y, {c.images, c.groups * c.out_channels, down.out, across.out}));

  using Both = std::array<std::int64_t, 2>;
  const Both paddings{down.padding, across.padding};
  parts.emplace_back(library, CudnnKind::convolution)
      .set(CudnnAttribute::convolution_compute_type, CudnnType::data_type,
           cudnn_data_type(wide ? GemmType::float64 : GemmType::float32))
      .set(CudnnAttribute::convolution_mode, CudnnType::convolution_mode, std::int32_t{1})  // kernels are not flipped
      .set(CudnnAttribute::convolution_axes, CudnnType::int64, std::int64_t{2})
      .set(CudnnAttribute::convolution_paddings_before, CudnnType::int64, paddings)
      .set(CudnnAttribute::convolution_paddings_behind, CudnnType::int64, paddings)
      .set(CudnnAttribute::convolution_strides, CudnnType::int64, Both{down.stride, across.stride})
      .set(CudnnAttribute::convolution_dilations, CudnnType::int64, Both{down.dilation, across.dilation})
      .finalize();

  constexpr CudnnKind kinds[] = {CudnnKind::forward, CudnnKind::input_gradient, CudnnKind::weight_gradient};
  constexpr CudnnAttribute firsts[] = {CudnnAttribute::forward_alpha, CudnnAttribute::input_gradient_alpha,
                                       CudnnAttribute::weight_gradient_alpha};
  const auto task = static_cast<std::size_t>(problem.task);
  const auto attribute = [first = firsts[task]](int at) {
    return static_cast<CudnnAttribute>(static_cast<int>(first) + at);
  };
  CudnnPart operation(library, kinds[task]);
  const double factors[] = {1, problem.adds ? 1.0 : 0.0};  // of the result, and of the previous value
  for (int at = 0; at < 2; ++at) {
    if (wide) operation.set(attribute(at), CudnnType::float64, factors[at]);
    else operation.set(attribute(at), CudnnType::float32, static_cast<float>(factors[at]));
  }
  operation.set(attribute(2), parts[3])
      .set(attribute(3), parts[1])
      .set(attribute(4), parts[0])
      .set(attribute(5), parts[2])
      .finalize();
  parts.push_back(std::move(operation));

  CudnnPart graph(library, CudnnKind::graph);
  graph.set(CudnnAttribute::graph_handle, CudnnType::handle, handle)
      .set(CudnnAttribute::graph_operations, parts.back())
      .finalize();
  parts.push_back(std::move(graph));
  return parts;
}

}  // namespace situ::internal::cuda::detail

#endif

// SPDX-License-Identifier: Apache-2.0
// Convolutions by cuDNN: the first engine proposed by its heuristic for a graph that keeps situ's promises, and a plan,
// cached for each device and kind of convolution. For a real GPU it is in the library (src/cuda/cudnn.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/kernels/cudnn.hpp>
#include <situ/cuda/kernels/cudnn_graph.hpp>
#include <situ/cuda/kernels/gemm.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_memory.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/plan/window.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

/// A kind of convolution, ready to run; without a plan, cuDNN is not used for it. The parts of a plan live as long as
/// it.
struct CudnnPlan {
  std::vector<CudnnPart> parts;
  void* plan = nullptr;
  std::size_t workspace = 0;
};

/// Whether an engine, as proposed by the heuristic, keeps the promises of `conv2d`.
[[nodiscard]] inline bool cudnn_keeps_promises(const Cudnn& library, const CudnnProblem& problem,
                                               const CudnnPart& choice) {
  const CudnnPart engine(library, CudnnKind::engine);
  void* object = engine.get();
  std::int64_t count = 0;
  std::array<std::int32_t, cudnn_notes> notes{};
  if (!engine.good() ||
      library.get(choice.get(), CudnnAttribute::choice_engine, CudnnType::object, 1, &count, &object) != 0 ||
      library.get(object, CudnnAttribute::engine_notes, CudnnType::note, cudnn_notes, &count, notes.data()) != 0)
    return false;
  const bool is_float = problem.type == GemmType::float32;
  const bool rounds = is_float && problem.c.precision == Precision::tf32;
  return std::none_of(notes.begin(), notes.begin() + std::min(count, cudnn_notes), [&](std::int32_t note) {
    switch (static_cast<CudnnNote>(note)) {
      case CudnnNote::tensor_core:
        return is_float && !rounds;
      case CudnnNote::down_converts:
        return !rounds;
      case CudnnNote::reduces_in_less:
      case CudnnNote::fft:
      case CudnnNote::nondeterministic:
      case CudnnNote::winograd:
      case CudnnNote::winograd_4x4:
      case CudnnNote::winograd_6x6:
      case CudnnNote::winograd_13x13:
        return true;
    }
    return false;
  });
}

[[nodiscard]] inline CudnnPlan make_cudnn_plan(const Cudnn& library, void* handle, const CudnnProblem& problem) {
  CudnnPlan result;
  result.parts = cudnn_graph(library, handle, problem);
  if (!result.parts.back().good()) return result;
  for (const std::int32_t mode : {3, 2}) {  // the actual heuristic, then the fallback that always works
    CudnnPart heuristic(library, CudnnKind::heuristic);
    heuristic.set(CudnnAttribute::heuristic_graph, result.parts.back())
        .set(CudnnAttribute::heuristic_mode, CudnnType::heuristic_mode, mode)
        .finalize();
    std::int64_t count = 0;
    if (!heuristic.good() ||
        library.get(heuristic.get(), CudnnAttribute::heuristic_results, CudnnType::object, 0, &count, nullptr) != 0)
      continue;
    std::vector<CudnnPart> choices;
    std::vector<void*> objects;
    for (std::int64_t i = 0; i < count; ++i) {
      choices.emplace_back(library, CudnnKind::engine_choice);
      objects.push_back(choices.back().get());
    }
    if (library.get(heuristic.get(), CudnnAttribute::heuristic_results, CudnnType::object, count, &count,
                    objects.data()) != 0)
      continue;
    for (std::size_t i = 0; i < std::min(choices.size(), static_cast<std::size_t>(count)); ++i) {
      if (!cudnn_keeps_promises(library, problem, choices[i])) continue;
      CudnnPart plan(library, CudnnKind::plan);
      plan.set(CudnnAttribute::plan_handle, CudnnType::handle, handle)
          .set(CudnnAttribute::plan_choice, choices[i])
          .finalize();
      std::int64_t bytes = 0, one = 0;
      if (!plan.good() ||
          library.get(plan.get(), CudnnAttribute::plan_workspace, CudnnType::int64, 1, &one, &bytes) != 0 ||
          bytes > problem.c.working_memory)
        continue;
      result.plan = plan.get();
      result.workspace = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0));
      result.parts.push_back(std::move(choices[i]));
      result.parts.push_back(std::move(plan));
      return result;
    }
  }
  return result;
}

struct CudnnKeyHash {
  [[nodiscard]] std::size_t operator()(const CudnnProblem::Key& key) const noexcept {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::int64_t word : key) {
      hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return static_cast<std::size_t>(hash);
  }
};

/// cuDNN on one device: a handle, which one thread at a time may use, and the plans. Never destroyed, since cuDNN may
/// be unloaded at exit.
struct CudnnDevice {
  /// Convolutions of further kinds do not use cuDNN: a plan cannot be released, since pending work and captured graphs
  /// may need the code that it has loaded.
  static constexpr std::size_t most_plans = 4096;

  std::mutex mutex;
  void* handle = nullptr;
  bool failed = false;  // no handle could be created
  std::unordered_map<CudnnProblem::Key, CudnnPlan, CudnnKeyHash> plans;

  static CudnnDevice& of(int ordinal) {
    static auto& devices = *new std::array<CudnnDevice, max_devices>;
    return devices[static_cast<std::size_t>(ordinal)];
  }
  [[nodiscard]] bool is_ready(const Cudnn& library, DeviceState& device) {
    if (handle == nullptr && !failed && library.create(&handle) != 0) {
      reclaim(device);
      if (library.create(&handle) != 0) handle = nullptr, failed = true;
    }
    return handle != nullptr;
  }
  [[nodiscard]] const CudnnPlan& plan_for(const Cudnn& library, const CudnnProblem& problem) {
    const auto key = problem.key();
    if (const auto found = plans.find(key); found != plans.end()) return found->second;
    static const CudnnPlan none;
    if (plans.size() >= most_plans) return none;
    return plans.emplace(key, make_cudnn_plan(library, handle, problem)).first->second;
  }
};

[[noreturn]] inline void fail_cudnn(const Cudnn& library, int error, int ordinal, const program::Convolution& c) {
  throw CudaError("conv2d failed on " + device_name(ordinal) + ": cuDNN: " + library.error_text(error) + "; " +
                      std::to_string(c.images) + " images of " + std::to_string(c.groups * c.in_channels) + " x " +
                      std::to_string(c.window.height.in) + " x " + std::to_string(c.window.width.in) +
                      ", the error may come from an earlier operation; SITU_CUDNN=0 in the environment turns off "
                      "cuDNN",
                  "cuDNN", /*context_lost=*/error >= 5000);
}

}  // namespace detail

#if defined(SITU_CUDA_EMULATED)
inline
#endif
    bool
    convolve_by_cudnn(const Backend& backend, CudnnTask task, GemmType type, const program::Convolution& c,
                      const void* x, const void* weight, const void* y, bool adds) {
  const Cudnn* const library = cudnn();
  if (library == nullptr) return false;
  DeviceState& device = *backend.stream->device;
  const DeviceGuard guard(device.physical, backend.ordinal);
  detail::CudnnDevice& own = detail::CudnnDevice::of(backend.ordinal);
  const std::lock_guard lock(own.mutex);
  if (!own.is_ready(*library, device)) return false;
  const auto alignment = [](const void* data) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    return static_cast<std::int64_t>(std::min<std::uintptr_t>(address & (~address + 1), 16));
  };
  const detail::CudnnProblem problem{task, type, c, adds, {alignment(x), alignment(weight), alignment(y)}};
  const detail::CudnnPlan& plan = own.plan_for(*library, problem);
  if (plan.plan == nullptr) return false;
  const Scratch workspace(backend, plan.workspace);
  detail::CudnnPart pack(*library, CudnnKind::variant_pack);
  pack.set(CudnnAttribute::pack_ids, CudnnType::int64,
           std::array<std::int64_t, 3>{detail::cudnn_x, detail::cudnn_weight, detail::cudnn_y})
      .set(CudnnAttribute::pack_pointers, CudnnType::pointer, std::array{x, weight, y})
      .set(CudnnAttribute::pack_workspace, CudnnType::pointer, workspace.data())
      .finalize();
  if (!pack.good()) return false;
  const ObservedWork work(*backend.stream, "conv2d by cuDNN");
  int error = library->set_stream(own.handle, stream_of(backend));
  if (error == 0) error = library->execute(own.handle, plan.plan, pack.get());
  if (error != 0) detail::fail_cudnn(*library, error, backend.ordinal, c);
  return true;
}

}  // namespace situ::internal::cuda

#endif

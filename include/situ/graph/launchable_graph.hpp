// SPDX-License-Identifier: Apache-2.0
// A graph of work on a GPU, with the memory that the work uses, launched any number of times.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/config.hpp>
#include <situ/core/error.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/cuda/runtime/tracker.hpp>
#include <situ/graph/memory.hpp>
#include <situ/memory/storage.hpp>

namespace situ::internal::cuda {

#if defined(SITU_CUDA)

namespace detail {

/// Checked in the first call of a captured function too; the second would fail.
inline void refuse_nested(int ordinal, const char* what) {
  if (current_stream(ordinal)->recording == nullptr) [[likely]]
    return;
  throw CaptureError(std::string(what) + " in a function that is captured: a graph holds no other graph; call its " +
                     "function instead");
}

}  // namespace detail

/// A graph that can be launched, with its memory and the constants that it reads.
template <class D>
class LaunchableGraph {
 public:
  LaunchableGraph(std::shared_ptr<GraphMemory<D>> memory, StreamState* made_in) : memory_(std::move(memory)) {
    last_word_.store(detail::word_of(made_in), std::memory_order_relaxed);
  }
  LaunchableGraph(const LaunchableGraph&) = delete;
  LaunchableGraph& operator=(const LaunchableGraph&) = delete;
  ~LaunchableGraph() {
    if (executable_ != api::GraphExec{}) ignore(api::graph_exec_destroy(executable_));
  }

  /// Takes over the graph.
  void instantiate(api::Graph graph, std::vector<Storage<D>> constants, bool may_fault) {
    constants_ = std::move(constants);
    may_fault_ = may_fault;
    const DeviceState& device = device_state(D::ordinal);
    const DeviceGuard guard(device.physical, device.ordinal);
    api::Error error = api::graph_nodes(graph, &nodes_);
    if (error == api::success) error = api::graph_instantiate(&executable_, graph);
    ignore(api::graph_destroy(graph));
    check(error, "cudaGraphInstantiate", device.ordinal);
  }

  /// Held from before the inputs are written until after the outputs were read.
  [[nodiscard]] std::unique_lock<std::mutex> lock() {
    detail::refuse_nested(D::ordinal, "a call of a graph");
    return std::unique_lock(mutex_);
  }

  /// From now on, work put into the stream may use the graph's memory.
  void enter(StreamState* stream) {
    track_write(last_word_, stream);
    if (stream == entered_) return;
    memory_->hand_to(stream);
    // The graph has a handle to each, so nothing writes them: each stream waits for them once.
    for (const Storage<D>& constant : constants_) track_read(constant.word(), stream);
    entered_ = stream;
  }
  void launch(StreamState* stream) const {
    const DeviceGuard guard(stream->device->physical, stream->ordinal);
    const ObservedWork work(*stream, "graph");
    check(api::graph_launch(executable_, stream->stream), "cudaGraphLaunch", stream->ordinal, nodes_, " nodes");
    if (may_fault_) stream->may_have_fault.store(true, std::memory_order_relaxed);
  }

  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return memory_->bytes(); }

 private:
  std::mutex mutex_;
  std::shared_ptr<GraphMemory<D>> memory_;
  std::vector<Storage<D>> constants_;
  BlockWord last_word_{};           // as in a block: the stream of the last call
  StreamState* entered_ = nullptr;  // the same, once the memory was handed to it
  api::GraphExec executable_{};
  std::size_t nodes_ = 0;
  bool may_fault_ = false;
};

#else

/// In a build without CUDA there is no such graph.
template <class D>
class LaunchableGraph {
 public:
  [[nodiscard]] std::unique_lock<std::mutex> lock() { return {}; }
  void enter(StreamState*) {}
  void launch(StreamState*) const {}
  [[nodiscard]] std::size_t nodes() const noexcept { return 0; }
  [[nodiscard]] std::size_t bytes() const noexcept { return 0; }
};

#endif

}  // namespace situ::internal::cuda

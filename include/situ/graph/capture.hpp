// SPDX-License-Identifier: Apache-2.0
// Recording the work of a function on a GPU as a graph: the part of situ/graph.hpp below tensors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/config.hpp>
#include <situ/core/error.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/call_counts.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/fault.hpp>
#include <situ/cuda/runtime/recording.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/cuda/runtime/tickets.hpp>
#include <situ/graph/capture_streams.hpp>
#include <situ/graph/launchable_graph.hpp>
#include <situ/graph/memory.hpp>
#include <situ/memory/storage.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// One capture: the function runs once (`rehearse`), so that whatever is created on first use exists, and is then
/// recorded.
///
/// Blocks that neither call created are outside, and may only be read. A block that the first call read is a constant
/// of the graph, which keeps it; one that only the second call reads shows that the two calls did different work.
template <class D>
class Capture final : public Recording {
 public:
  Capture() : streams_(checked_streams()), memory_(std::make_shared<GraphMemory<D>>(streams_.rehearsal)) {
    try {
      detail::make_fault(*streams_.rehearsal);
      memory_->set_stream(streams_.rehearsal);
    } catch (...) {
      detail::give_capture_streams(streams_);
      throw;
    }
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() {
    memory_->set_stream(nullptr);
    detail::give_capture_streams(streams_);
  }

  /// A block of the graph's memory, for an input.
  [[nodiscard]] Storage<D> block_for_input(std::size_t bytes) {
    return storage_of(GraphMemory<D>::lend(memory_, bytes));
  }
  /// The same for a carried tensor: the memory stays reserved for the block when no handle is left.
  [[nodiscard]] Storage<D> carried_block(std::size_t bytes) {
    return storage_of(GraphMemory<D>::lend(memory_, bytes, /*stays=*/true));
  }
  /// Another block at that address.
  [[nodiscard]] Storage<D> carried_block(void* place, std::size_t bytes) {
    return storage_of(GraphMemory<D>::lend_again(memory_, place, bytes));
  }

  /// Numbers of the graph, 0 now, for as long as it lives.
  [[nodiscard]] std::uint64_t* counts(std::size_t number) {
    auto* const made = static_cast<std::uint64_t*>(zeros(number * sizeof(std::uint64_t)));
    counts_ = {made, number};
    return made;
  }
  /// Work of the function: adds to these numbers.
  void add_to_counts(std::uint64_t* counts, std::span<const std::uint64_t> by) {
    cuda::add_to_counts({D::ordinal, records_ ? streams_.recording : streams_.rehearsal}, counts, by);
  }

  /// Runs `f`, whose work goes into the first stream.
  template <class F>
  void rehearse(F&& f) {
    const InStream scope(*this, streams_.rehearsal, /*records=*/false);
    f();
  }

  /// Records the work of `f`. `kept()` returns the block of each handle that the graph has to its own blocks: no other
  /// handles may exist.
  template <class F, class Kept>
  [[nodiscard]] std::unique_ptr<LaunchableGraph<D>> record(F&& f, Kept&& kept) {
    StreamState& stream = *streams_.recording;
    make_tickets();
    memory_->set_stream(&stream);
    api::Graph graph{};
    bool may_fault = false;
    {
      const InStream scope(*this, &stream, /*records=*/true);
      check(api::capture_begin(stream.stream), "cudaStreamBeginCapture", stream.ordinal);
      try {
        f();
      } catch (...) {
        api::Graph none{};
        ignore(api::capture_end(stream.stream, &none));
        if (none != api::Graph{}) ignore(api::graph_destroy(none));
        leave(stream);
        throw;
      }
      const api::Error error = api::capture_end(stream.stream, &graph);
      may_fault = stream.may_have_fault.load(std::memory_order_relaxed);
      leave(stream);
      check(error, "cudaStreamEndCapture", stream.ordinal,
            "the function made a CUDA call that cannot be part of a graph");
    }
    memory_->set_stream(nullptr);
    auto made = std::make_unique<LaunchableGraph<D>>(memory_, streams_.rehearsal);
    made->instantiate(graph, std::move(constants_), may_fault);
    refuse_kept(kept());
    return made;
  }

  // --- called by the streams -----------------------------------------------------------------------------------------
  [[nodiscard]] void* allocate(std::size_t bytes) override { return memory_->allocate(bytes); }
  void release(void* data) noexcept override { memory_->release(data); }
  [[nodiscard]] bool counts_it(AddedByCalls added) const noexcept override {
    return !std::less<>()(added, counts_.data()) && std::less<>()(added, counts_.data() + counts_.size());
  }
  [[nodiscard]] memory::Block* lend(std::size_t bytes) override { return GraphMemory<D>::lend(memory_, bytes); }

  void read(memory::Block& block, const TensorName& name) override {
    if (!records_) {
      track_read(block.word, streams_.rehearsal);
      if (!is_inside(block)) seen_.push_back(&block);
      return;
    }
    if (memory_->owns(block)) return;
    if (block.size_class == memory::lent_class) detail::refuse_order(/*kept=*/true);
    if (!is_inside(block) && !is_among(seen_, &block)) {
      throw CaptureError("the captured function reads " + name.text(block.bytes) + " on " + D::name() +
                         ", which was last used outside of it: the function is called twice, and only the second " +
                         "call read it; make the tensor an input of the function");
    }
    if (is_among(constant_blocks_, &block)) return;
    constants_.push_back(Storage<D>::of(block));
    constant_blocks_.push_back(&block);
  }

  void write(memory::Block& block, const TensorName& name) override {
    if (records_ ? memory_->owns(block) : is_inside(block)) {
      if (!records_) track_write(block.word, streams_.rehearsal);
      return;
    }
    throw CaptureError("the captured function writes " + name.text(block.bytes) + " on " + D::name() +
                       ", which was last used outside of it; make the tensor an input of the function, let it return " +
                       "the new value, and assign that to the tensor");
  }

 private:
  /// The handle of a new block.
  [[nodiscard]] static Storage<D> storage_of(memory::Block* block) noexcept {
    Storage<D> storage = Storage<D>::of(*block);
    block->count.fetch_sub(1, std::memory_order_relaxed);
    return storage;
  }

  /// Directs the thread's work into a stream of the capture.
  class InStream {
   public:
    InStream(Capture& capture, StreamState* stream, bool records) : stream_(stream), before_(detail::current_streams) {
      stream_->recording = &capture;
      capture.records_ = records;
      if (records) {
        detail::current_streams.fill(nullptr);  // any other GPU is refused when it is looked up
        detail::recording = &capture;
      }
      detail::current_streams[static_cast<std::size_t>(D::ordinal)] = stream;
    }
    InStream(const InStream&) = delete;
    InStream& operator=(const InStream&) = delete;
    ~InStream() {
      stream_->recording = nullptr;
      detail::recording = nullptr;
      detail::current_streams = before_;
    }

   private:
    StreamState* stream_;
    std::array<StreamState*, max_devices> before_;
  };

  [[nodiscard]] static CaptureStreams checked_streams() {
    detail::refuse_nested(D::ordinal, "capture");
    return detail::take_capture_streams(D::ordinal);
  }

  [[nodiscard]] bool is_inside(const memory::Block& block) const noexcept {
    return home_of(block.word) == streams_.rehearsal;
  }
  using Blocks = std::vector<const memory::Block*>;
  [[nodiscard]] static bool is_among(const Blocks& list, const memory::Block* block) noexcept {
    return std::find(list.begin(), list.end(), block) != list.end();
  }

  /// Counters that belong to the graph: other work uses those of a stream while the graph runs.
  void make_tickets() {
    void* const counters = zeros(ticket_count * sizeof(std::uint32_t));
    streams_.recording->tickets.store(static_cast<std::uint32_t*>(counters), std::memory_order_relaxed);
  }
  [[nodiscard]] void* zeros(std::size_t bytes) {
    void* const memory = memory_->allocate(bytes);
    const DeviceGuard guard(streams_.rehearsal->device->physical, D::ordinal);
    check(api::set_bytes(memory, 0, bytes, streams_.rehearsal->stream), "cudaMemsetAsync", D::ordinal);
    return memory;
  }

  /// Whatever the recording stream holds belongs to the graph.
  static void leave(StreamState& stream) noexcept {
    stream.tickets.store(nullptr, std::memory_order_relaxed);
    stream.may_have_fault.store(false, std::memory_order_relaxed);
    stream.scratch.clear();
  }

  /// A tensor that the function kept would change at every call of the graph.
  void refuse_kept(const std::vector<memory::Block*>& ours) const {
    for (const memory::Block* const block : memory_->lent()) {
      if (block->count.load(std::memory_order_acquire) == std::count(ours.begin(), ours.end(), block)) continue;
      throw CaptureError("the captured function keeps a tensor of " + std::to_string(block->bytes) + " bytes on " +
                         D::name() + " that it computed or was given: the tensor has no value outside of the graph; " +
                         "let the function return it, and keep the graph's result; or, for a module that changes, " +
                         "such as a layer with running statistics in training, pass carry(module) to capture");
    }
  }

  CaptureStreams streams_;
  std::shared_ptr<GraphMemory<D>> memory_;
  bool records_ = false;
  std::span<const std::uint64_t> counts_{};
  Blocks seen_;  // outside, read by the first call
  std::vector<Storage<D>> constants_;
  Blocks constant_blocks_;  // the same
};

/// Called by situ/graph.hpp, which names no backend.
template <class D>
[[nodiscard]] Capture<D> capture_on(const Backend&, D) {
  return Capture<D>();
}

}  // namespace situ::internal::cuda

#endif

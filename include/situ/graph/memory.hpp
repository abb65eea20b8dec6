// SPDX-License-Identifier: Apache-2.0
// The memory of a captured function: what its operations allocate while they are recorded has the same address at every
// call of the graph, so nothing else may use it in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <situ/core/config.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/cuda/runtime/stream_state.hpp>
#include <situ/cuda/runtime/tracker.hpp>
#include <situ/memory/block.hpp>
#include <situ/memory/storage.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// While it lives, the thread does not record, and its work on a device uses a given stream.
class RecordingPause {
 public:
  RecordingPause(int ordinal, StreamState* stream) noexcept
      : place_(detail::current_streams[static_cast<std::size_t>(ordinal)]),
        stream_(std::exchange(place_, stream)),
        recording_(std::exchange(detail::recording, nullptr)) {}
  RecordingPause(const RecordingPause&) = delete;
  RecordingPause& operator=(const RecordingPause&) = delete;
  ~RecordingPause() {
    detail::recording = recording_;
    place_ = stream_;
  }

 private:
  UncapturedCalls calls_;  // first, while the thread still records
  StreamState*& place_;
  StreamState* stream_;
  Recording* recording_;
};

/// Makes a stream the home of a block; the stream already waits for all work on the block.
inline void set_home(BlockWord& word, StreamState* stream) noexcept {
  delete detail::uses_of(word.exchange(detail::word_of(stream), std::memory_order_acq_rel));
}

/// Chunks from the pool of `D`, allocated while a function is recorded and kept for the life of the graph. Within the
/// recording a chunk is reused once it is free: its stream orders the two uses, at every call.
///
/// A block that outlives the graph keeps all of this alive; that happens only if the function kept one by mistake.
template <class D>
class GraphMemory final : public memory::Lender {
 public:
  explicit GraphMemory(StreamState* outside) : outside_(outside) {}
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  ~GraphMemory() {
    // All work on the chunks is in one stream, or that stream waited for it.
    for (const Chunk& chunk : chunks_) set_home(chunk.storage.word(), outside_);
  }

  /// From now on notes name `stream`, whose work uses the memory; null if there is no more work.
  void set_stream(StreamState* stream) {
    const std::lock_guard lock(mutex_);
    stream_ = stream;
  }

  /// A block with one handle; `self` owns this object. If it `stays`, its chunk is not reused after the block is gone.
  [[nodiscard]] static memory::Block* lend(const std::shared_ptr<GraphMemory>& self, std::size_t bytes,
                                           bool stays = false) {
    auto block = std::make_unique<Lent>();
    const std::lock_guard lock(self->mutex_);
    self->lent_.reserve(self->lent_.size() + 1);
    Chunk& chunk = self->take(bytes);
    chunk.stays = stays;
    return self->lend(std::move(block), self, chunk.storage.data(), bytes);
  }
  /// Another block in a chunk that stays.
  [[nodiscard]] static memory::Block* lend_again(const std::shared_ptr<GraphMemory>& self, void* data,
                                                 std::size_t bytes) {
    auto block = std::make_unique<Lent>();
    const std::lock_guard lock(self->mutex_);
    self->lent_.reserve(self->lent_.size() + 1);
    return self->lend(std::move(block), self, data, bytes);
  }
  void take_back(memory::Block* given) noexcept override {
    const std::unique_ptr<Lent> block(static_cast<Lent*>(given));
    const std::shared_ptr<GraphMemory> self = std::move(block->memory);  // alive until the lock is released
    const bool over = wait_for_others(block->word);
    delete detail::uses_of(block->word.load(std::memory_order_acquire));
    const std::lock_guard lock(mutex_);
    std::erase(lent_, block.get());
    if (over) put_back(block->data);
  }

  /// Memory without a block.
  [[nodiscard]] void* allocate(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    return take(bytes).storage.data();
  }
  void release(void* data) noexcept {
    const std::lock_guard lock(mutex_);
    put_back(data, /*told=*/true);
  }

  [[nodiscard]] bool owns(const memory::Block& block) const noexcept {
    return block.size_class == memory::lent_class && static_cast<const Lent&>(block).lender == this;
  }
  /// The blocks that have a handle.
  [[nodiscard]] std::vector<memory::Block*> lent() const {
    const std::lock_guard lock(mutex_);
    return lent_;
  }
  /// From now on all work on the memory is in `stream`, which already waits for earlier work.
  void hand_to(StreamState* stream) {
    const std::lock_guard lock(mutex_);
    for (memory::Block* const block : lent_) {
      if (detail::uses_of(block->word.load(std::memory_order_acquire)) != nullptr)
        track_write(block->word, stream);  // an input that the function once read in a third stream
      else set_home(block->word, stream);
    }
    outside_ = stream;
  }

  [[nodiscard]] std::size_t bytes() const noexcept {
    const std::lock_guard lock(mutex_);
    std::size_t total = 0;
    for (const Chunk& chunk : chunks_) total += chunk.storage.bytes();
    return total;
  }

 private:
  struct Chunk {
    Storage<D> storage;
    bool free = false;
    bool stays = false;
  };
  struct Lent : memory::LentBlock {
    std::shared_ptr<GraphMemory> memory;
  };

  /// Requires the lock, and room in the list.
  [[nodiscard]] memory::Block* lend(std::unique_ptr<Lent> block, const std::shared_ptr<GraphMemory>& self, void* data,
                                    std::size_t bytes) noexcept {
    block->lender = this;
    block->memory = self;
    block->size_class = memory::lent_class;
    block->bytes = bytes;
    block->data = data;
    block->count.store(1, std::memory_order_relaxed);
    block->word.store(detail::word_of(stream_), std::memory_order_relaxed);
    lent_.push_back(block.get());
    return block.release();
  }

  /// Makes the stream in which a block was lent wait for other streams that read it: the function's first call may copy
  /// to another GPU. False if no event could be created; then the chunk is not reused.
  static bool wait_for_others(BlockWord& word) noexcept {
    if (detail::uses_of(word.load(std::memory_order_acquire)) == nullptr) return true;
    try {
      const UncapturedCalls calls;
      gather_at_home(word);
      return true;
    } catch (...) {
      return false;
    }
  }

  /// A free chunk of at least this size and at most twice that; otherwise a new one. Requires the lock.
  [[nodiscard]] Chunk& take(std::size_t bytes) {
    const std::size_t room = memory::class_capacity(memory::size_class_of(bytes));
    Chunk* found = nullptr;
    for (Chunk& chunk : chunks_) {
      const std::size_t size = chunk.storage.bytes();
      if (chunk.free && size >= room && size <= 2 * room && (found == nullptr || size < found->storage.bytes()))
        found = &chunk;
    }
    if (found == nullptr) {
      const RecordingPause pause(D::ordinal, outside_);
      chunks_.push_back({Storage<D>::allocate(room), true});
      found = &chunks_.back();
    }
    found->free = false;
    if (stream_ != nullptr) api::note_allocated(found->storage.data(), bytes, found->storage.bytes(), stream_->stream);
    return *found;
  }

  /// `told`: that it is free has been noted. Requires the lock.
  void put_back(void* data, bool told = false) noexcept {
    for (Chunk& chunk : chunks_) {
      if (chunk.storage.data() != data) continue;
      if (chunk.stays) return;
      chunk.free = true;
      if (stream_ != nullptr && !told) api::note_freed(data, chunk.storage.bytes(), stream_->stream);
      return;
    }
  }

  mutable std::mutex mutex_;
  StreamState* outside_;           // new chunks are allocated in it
  StreamState* stream_ = nullptr;  // chunks are used in it
  std::vector<Chunk> chunks_;
  std::vector<memory::Block*> lent_;
};

}  // namespace situ::internal::cuda

#endif

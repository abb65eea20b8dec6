// SPDX-License-Identifier: Apache-2.0
// Orders work of several streams on one block of memory, so that users need not declare which streams use a tensor.
//
// The home of a block is the stream that last wrote it (or got it from the pool), and is presumed to have read it too.
// The list of a block contains the other streams that have read it since. Hence:
//   - work in the home stream of a block without a list costs one comparison;
//   - the first read in another stream waits for the home stream, and joins the list;
//   - a write waits for the home stream and the whole list. Its stream then becomes the home, and the list is empty.
// A block is written only through its only handle, so that no reader joins meanwhile; a reader joins before it releases
// its handle. Taking a block from the pool counts as a write.
//
// Waiting for a reader means waiting for all work in its stream by then, except for copies in copy streams: the next
// copy there is unrelated to this block, so each copy has its own event (see copy_in_flight.hpp).
//
// Rejected: recording an event after each operation (1 us each, wasted in programs with one stream), and telling the
// allocator of every use by hand (PyTorch's record_stream, which is easily forgotten).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include <situ/cuda/runtime/event_pool.hpp>
#include <situ/cuda/runtime/stream_state.hpp>

#if defined(SITU_CUDA)
#include <memory>

namespace situ::internal::cuda {

/// The tracker's word of a block of GPU memory: its home stream, or, with the lowest bit set, a `BlockUses`; with the
/// next bit set as well, the block is free and its `freed` contains what to wait for.
using BlockWord = std::atomic<std::uintptr_t>;

/// A block that streams other than its home have read, or that copies fill repeatedly.
struct BlockUses {
  struct Reader {
    StreamState* stream;
    SharedEvent until;  // after its last read; null for the end of the stream
  };
  StreamState* home;
  std::mutex mutex;  // of the list
  std::vector<Reader> readers;
  /// A copy in a copy stream filled it. Such a block records events when it is freed, so that the next copy does not
  /// wait for work that the program has queued since.
  bool filled_by_copies = false;
  SharedEvent freed{};  // at home

  [[nodiscard]] Reader* find(const StreamState* stream) noexcept {
    const auto found =
        std::find_if(readers.begin(), readers.end(), [&](const Reader& r) { return r.stream == stream; });
    return found == readers.end() ? nullptr : &*found;
  }
};

namespace detail {

[[nodiscard]] inline BlockUses* uses_of(std::uintptr_t word) noexcept {
  return (word & 1) != 0 ? reinterpret_cast<BlockUses*>(word & ~std::uintptr_t{3}) : nullptr;
}
[[nodiscard]] inline std::uintptr_t word_of(const StreamState* home) noexcept {
  return reinterpret_cast<std::uintptr_t>(home);
}
[[nodiscard]] inline std::uintptr_t word_of(const BlockUses* uses) noexcept {
  return reinterpret_cast<std::uintptr_t>(uses) + 1;
}
[[nodiscard]] inline bool is_freed(std::uintptr_t word) noexcept { return (word & 2) != 0; }

[[gnu::noinline]] inline void read_elsewhere(BlockWord& word, StreamState* stream) {
  std::uintptr_t before = word.load(std::memory_order_acquire);
  if (uses_of(before) == nullptr) {
    auto made = std::make_unique<BlockUses>();
    made->home = reinterpret_cast<StreamState*>(before);
    made->readers.push_back({stream, nullptr});
    wait_for(*stream, *made->home);
    const std::uintptr_t after = word_of(made.get());
    if (word.compare_exchange_strong(before, after, std::memory_order_acq_rel, std::memory_order_acquire)) {
      static_cast<void>(made.release());
      return;
    }
    // another reader was first, and `before` is its list
  }
  BlockUses& uses = *uses_of(before);
  if (uses.home == stream) return;
  const std::lock_guard lock(uses.mutex);
  if (BlockUses::Reader* const known = uses.find(stream)) {
    known->until = nullptr;
    return;
  }
  uses.readers.push_back({stream, nullptr});
  try {
    wait_for(*stream, *uses.home);
  } catch (...) {
    uses.readers.pop_back();
    throw;
  }
}

inline void wait_for_reader(StreamState& waiter, const BlockUses::Reader& reader) {
  if (reader.until == nullptr) return wait_for(waiter, *reader.stream);
  if (reader.stream != &waiter)
    check(api::stream_wait(waiter.stream, reader.until->get()), "cudaStreamWaitEvent", waiter.ordinal);
}

[[gnu::noinline]] inline void write_elsewhere(BlockWord& word, StreamState* stream) {
  const std::uintptr_t before = word.load(std::memory_order_acquire);
  BlockUses* const uses = uses_of(before);
  if (uses == nullptr) {
    wait_for(*stream, *reinterpret_cast<StreamState*>(before));
    word.store(word_of(stream), std::memory_order_release);
    return;
  }
  wait_for_reader(*stream, {uses->home, uses->freed});
  for (const BlockUses::Reader& reader : uses->readers) wait_for_reader(*stream, reader);
  if (uses->filled_by_copies && (stream->is_for_copies || !is_freed(before))) {
    uses->home = stream;
    uses->readers.clear();
    uses->freed = nullptr;
    word.store(word_of(uses), std::memory_order_release);
  } else {
    word.store(word_of(stream), std::memory_order_release);
    delete uses;
  }
}

}  // namespace detail

/// Called before work that reads the block is put into `stream`.
inline void track_read(BlockWord& word, StreamState* stream) {
  if (word.load(std::memory_order_acquire) != detail::word_of(stream)) [[unlikely]]
    detail::read_elsewhere(word, stream);
}

/// Called before work that writes the block is put into `stream`.
inline void track_write(BlockWord& word, StreamState* stream) {
  if (word.load(std::memory_order_acquire) != detail::word_of(stream)) [[unlikely]]
    detail::write_elsewhere(word, stream);
}

/// Called after a read reported to `track_read`: it is the last of `stream` on this block, and over when `event` is.
inline void track_read_until(BlockWord& word, const StreamState* stream, const SharedEvent& event) {
  BlockUses* const uses = detail::uses_of(word.load(std::memory_order_acquire));
  if (uses == nullptr || uses->home == stream) return;
  const std::lock_guard lock(uses->mutex);
  if (BlockUses::Reader* const known = uses->find(stream)) known->until = event;
}

/// Makes `stream` the home of a block that a copy has filled and whose only handle the caller has. The stream must
/// already wait for the copy.
inline void hand_over(BlockWord& word, StreamState* stream) {
  BlockUses* uses = detail::uses_of(word.load(std::memory_order_acquire));
  if (uses == nullptr) uses = new BlockUses;
  uses->home = stream;
  uses->filled_by_copies = true;
  word.store(detail::word_of(uses), std::memory_order_release);
}

/// For a block without handles that copies fill: records an event at the present end of each user's stream, so that the
/// next user of the block waits for no more. Without the events it waits for all work in these streams by then.
inline void note_freed_by(BlockWord& word) noexcept {
  const std::uintptr_t value = word.load(std::memory_order_acquire);
  BlockUses* const uses = detail::uses_of(value);
  if (uses == nullptr || !uses->filled_by_copies || detail::is_freed(value)) return;
  const auto now = [](StreamState& stream) {
    SharedEvent event = std::make_shared<const PooledEvent>(*stream.device);
    check(api::event_record(event->get(), stream.stream), "cudaEventRecord", stream.ordinal);
    return event;
  };
  try {
    for (BlockUses::Reader& reader : uses->readers) {
      if (reader.until == nullptr) reader.until = now(*reader.stream);
    }
    uses->freed = now(*uses->home);
    word.store(value | 2, std::memory_order_release);
  } catch (...) {  // then without the events
  }
}

/// The home stream of a block.
[[nodiscard]] inline StreamState* home_of(const BlockWord& word) noexcept {
  const std::uintptr_t value = word.load(std::memory_order_acquire);
  const BlockUses* const uses = detail::uses_of(value);
  return uses != nullptr ? uses->home : reinterpret_cast<StreamState*>(value);
}

/// Makes the home stream wait for all other streams that use the block.
inline void gather_at_home(BlockWord& word) { track_write(word, home_of(word)); }

}  // namespace situ::internal::cuda

#endif

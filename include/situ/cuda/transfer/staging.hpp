// SPDX-License-Identifier: Apache-2.0
// Copies between a GPU and pageable host memory, through blocks of the pool of pinned memory. Pageable memory is never
// passed to CUDA, which would stage it too, but could block the host and read the memory at any time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>

#include <situ/core/error.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/fault.hpp>
#include <situ/cuda/runtime/host_blocks.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/pinned_copy.hpp>
#include <situ/cuda/runtime/stream_state.hpp>
#include <situ/device/pinned.hpp>
#include <situ/memory/storage.hpp>
#include <situ/threads/thread_pool.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// Copies bytes within host memory, on all cores: a single core is slower than the bus to a GPU.
inline void copy_on_host(void* to, const void* from, std::size_t bytes) {
  constexpr std::int64_t grain = std::int64_t{1} << 18;
  threads::parallel_for(0, static_cast<std::int64_t>(bytes), grain, [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin,
                static_cast<std::size_t>(end - begin));
  });
}

/// The blocks of one copy: one is filled while earlier ones are in flight. They come from the pool, which counts and
/// limits them, and return to it with the events of their last copies.
class StagingRing {
 public:
  /// The largest size of a block, and the smallest if memory is short.
  static constexpr std::size_t most_bytes = std::size_t{4} << 20;
  static constexpr std::size_t least_bytes = std::size_t{1} << 16;

  struct Chunk {
    Storage<Pinned> block;
    SharedEvent done;
    std::size_t bytes = 0;  // the number of them in flight
    [[nodiscard]] std::byte* data() const noexcept { return static_cast<std::byte*>(block.data()); }
  };

  /// For a copy of `bytes` bytes. A block has a quarter of them, so that smaller copies overlap too; an event for less
  /// than half a MiB would cost more than it gains.
  explicit StagingRing(std::size_t bytes)
      : piece_(std::min(bytes, std::clamp((bytes / 4 + 4095) / 4096 * 4096, std::size_t{1} << 19, most_bytes))) {
    allocate(chunks_[0]);
    allocated_ = 1;
  }

  /// The size of a block, in bytes.
  [[nodiscard]] std::size_t piece() const noexcept { return piece_; }
  [[nodiscard]] bool empty() const noexcept { return in_flight_ == 0; }

  /// A block that no copy uses, which becomes the newest; or null if `pop` must be called first.
  [[nodiscard]] Chunk* push() {
    if (in_flight_ == count_) return nullptr;
    Chunk& chunk = chunks_[static_cast<std::size_t>((first_ + in_flight_) % count_)];
    if (!chunk.block) {
      try {
        allocate(chunk);
      } catch (const OutOfMemory&) {
        count_ = allocated_;  // continue with those allocated
        return push();
      }
      ++allocated_;
    }
    ++in_flight_;
    return &chunk;
  }

  /// The oldest block, after waiting for its copy.
  [[nodiscard]] const Chunk& finish_oldest(const StreamState& stream) {
    Chunk& chunk = chunks_[static_cast<std::size_t>(first_)];
    if (chunk.done != nullptr) check(await_event(chunk.done->get()), "cudaEventSynchronize", stream.ordinal);
    chunk.done = nullptr;
    return chunk;
  }
  void pop() noexcept {
    first_ = (first_ + 1) % count_;
    --in_flight_;
  }

  /// A block that no copy uses, after waiting for one if necessary.
  [[nodiscard]] Chunk& next(const StreamState& stream) {
    while (true) {
      if (Chunk* const chunk = push()) return *chunk;
      static_cast<void>(finish_oldest(stream));
      pop();
    }
  }

 private:
  static constexpr int most_chunks = 4;

  /// The first block determines the size: the largest that can be allocated if memory is short.
  void allocate(Chunk& chunk) {
    while (true) {
      try {
        chunk.block = Storage<Pinned>::allocate(piece_);
        return;
      } catch (const OutOfMemory&) {
        if (allocated_ > 0 || piece_ <= least_bytes) throw;
        piece_ = std::max(piece_ / 2, least_bytes);
      }
    }
  }

  std::size_t piece_;
  std::array<Chunk, most_chunks> chunks_{};
  int count_ = most_chunks;
  int allocated_ = 0;
  int first_ = 0;
  int in_flight_ = 0;
};

/// Shared by the small copies of one stream from pageable memory: each takes a part of one block. Never destroyed.
class Staging {
 public:
  static constexpr std::size_t block_bytes = std::size_t{1} << 19;
  static constexpr std::size_t small_bytes = std::size_t{1} << 15;

  void upload(StreamState& stream, void* to, const void* from, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (!block_ || block_.bytes() - used_ < bytes) {
      // The next user of the block waits for the copies that read it.
      if (block_) static_cast<void>(copy_with_block(block_.word(), stream, [] {}));
      block_ = Storage<Pinned>();
      used_ = 0;
      try {
        block_ = Storage<Pinned>::allocate(block_bytes);
      } catch (const OutOfMemory&) {
        block_ = Storage<Pinned>::allocate(bytes);  // the smallest that suffices
      }
    }
    std::byte* const staged = static_cast<std::byte*>(block_.data()) + used_;
    std::memcpy(staged, from, bytes);
    copy_rows_to_device(stream, to, staged, bytes);
    used_ = std::min(block_.bytes(), used_ + (bytes + 63) / 64 * 64);
  }

 private:
  std::mutex mutex_;
  Storage<Pinned> block_;
  std::size_t used_ = 0;
};

namespace detail {

/// Calls `f(row, rows, at, bytes)` for pieces of at most `piece` bytes: several whole rows, or a part of one.
template <class F>
void for_pieces(const ByteRows& rows, std::size_t piece, F&& f) {
  if (rows.width > piece) {
    for (std::size_t row = 0; row < rows.height; ++row) {
      for (std::size_t at = 0; at < rows.width; at += piece)
        f(row, std::size_t{1}, at, std::min(piece, rows.width - at));
    }
    return;
  }
  const std::size_t most = rows.height == 1 ? 1 : piece / rows.width;
  for (std::size_t row = 0; row < rows.height; row += most)
    f(row, std::min(most, rows.height - row), std::size_t{0}, rows.width);
}

inline void copy_host_rows(std::byte* to, std::size_t to_pitch, const std::byte* from, std::size_t from_pitch,
                           std::size_t width, std::size_t height) {
  if (height == 1 || (to_pitch == width && from_pitch == width)) return copy_on_host(to, from, width * height);
  for (std::size_t row = 0; row < height; ++row) std::memcpy(to + row * to_pitch, from + row * from_pitch, width);
}

[[nodiscard]] inline Staging& small_staging(StreamState& stream) {
  const std::lock_guard lock(stream.mutex);
  if (stream.uploads == nullptr) stream.uploads = new Staging;
  return *stream.uploads;
}

}  // namespace detail

/// Copies pageable memory to the GPU. Returns once all of it is staged: the source may then be overwritten. If there is
/// no pinned memory at all, throws before anything is written.
inline void upload(StreamState& stream, void* to, const void* from, const ByteRows& rows) {
  if (rows.height == 1 && rows.width <= Staging::small_bytes) {
    return detail::small_staging(stream).upload(stream, to, from, rows.width);
  }
  StagingRing ring(rows.bytes());
  detail::for_pieces(rows, ring.piece(), [&](std::size_t row, std::size_t height, std::size_t at, std::size_t width) {
    StagingRing::Chunk& chunk = ring.next(stream);
    detail::copy_host_rows(chunk.data(), width, static_cast<const std::byte*>(from) + row * rows.from_pitch + at,
                           rows.from_pitch, width, height);
    chunk.done = copy_from_pinned(chunk.block.word(), stream, static_cast<std::byte*>(to) + row * rows.to_pitch + at,
                                  chunk.data(), {width, height, rows.to_pitch, width});
  });
}

/// Copies memory of another GPU that this one cannot access, in the order of both streams. Does not wait for the copy.
inline void upload_from(StreamState& stream, StreamState& source, void* to, const void* from, std::size_t bytes) {
  StagingRing ring(bytes);
  detail::for_pieces(bytes, ring.piece(), [&](std::size_t, std::size_t, std::size_t at, std::size_t length) {
    StagingRing::Chunk& chunk = ring.next(stream);
    copy_rows_to_host(source, chunk.data(), static_cast<const std::byte*>(from) + at, length);
    try {
      wait_for(stream, source);
      chunk.done = copy_from_pinned(chunk.block.word(), stream, static_cast<std::byte*>(to) + at, chunk.data(), length);
    } catch (...) {
      ignore(await_stream(source.stream));  // no event of the block covers that copy
      throw;
    }
  });
}

/// Copies from the GPU to pageable memory, and waits until the bytes have arrived. Throws the `IndexError` of an
/// earlier kernel that found an invalid index, before anything is written: when the first piece arrives, all earlier
/// work in the stream is over.
inline void download(StreamState& stream, void* to, const void* from, const ByteRows& rows) {
  StagingRing ring(rows.bytes());
  FaultCheck fault(stream);
  struct Piece {
    std::size_t row, height, at, width;
  };
  std::array<Piece, 4> pieces{};  // of the blocks in flight
  std::size_t collected = 0;
  std::size_t issued = 0;
  const auto collect = [&] {
    const StagingRing::Chunk& chunk = ring.finish_oldest(stream);
    fault.close();
    const Piece& piece = pieces[collected++ % pieces.size()];
    detail::copy_host_rows(static_cast<std::byte*>(to) + piece.row * rows.to_pitch + piece.at, rows.to_pitch,
                           chunk.data(), piece.width, piece.width, piece.height);
    ring.pop();
  };
  detail::for_pieces(rows, ring.piece(), [&](std::size_t row, std::size_t height, std::size_t at, std::size_t width) {
    StagingRing::Chunk* chunk = ring.push();
    while (chunk == nullptr) {
      collect();
      chunk = ring.push();
    }
    pieces[issued++ % pieces.size()] = {row, height, at, width};
    chunk->done = copy_to_pinned_async(chunk->block.word(), stream, chunk->data(),
                                       static_cast<const std::byte*>(from) + row * rows.from_pitch + at,
                                       {width, height, width, rows.from_pitch});
  });
  while (!ring.empty()) collect();
}

}  // namespace situ::internal::cuda

#endif

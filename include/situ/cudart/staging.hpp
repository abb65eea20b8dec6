// SPDX-License-Identifier: Apache-2.0
// Copies between a GPU and pageable memory of the host, by way of page-locked memory of our own. Pageable memory is
// never given to CUDA, which would stage it too, but block the host as it likes and read it when it likes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>

#include <situ/cudart/api.hpp>
#include <situ/cudart/device_guard.hpp>
#include <situ/cudart/device_state.hpp>
#include <situ/cudart/error.hpp>
#include <situ/cudart/stream_state.hpp>

#if defined(SITU_CUDA)

namespace situ::cuda {

/// Copies bytes within the host's memory; for large copies of a caller that has more than one core for it.
using CopyOnHost = void (*)(void* to, const void* from, std::size_t bytes);

inline void copy_on_one_core(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

/// A ring of page-locked chunks for the copies of one stream in one direction. A chunk is used again when the event
/// behind its last copy is over; small copies share a chunk. Never destroyed.
class Staging {
 public:
  static constexpr std::size_t chunk_bytes = std::size_t{4} << 20;

  explicit Staging(StreamState& stream) : stream_(stream) {}

  /// Copies pageable memory to the GPU. Returns once all of it is staged: the source may then be overwritten.
  void upload(void* to, const void* from, std::size_t bytes, CopyOnHost copy) {
    const std::lock_guard lock(mutex_);
    pieces(bytes, [&](std::byte* staged, std::size_t at, std::size_t length) {
      copy(staged, static_cast<const std::byte*>(from) + at, length);
      put(static_cast<std::byte*>(to) + at, staged, length);
    });
  }

  /// Copies memory of another GPU, which this one cannot reach, in the order of both streams. Does not wait for it.
  void upload_from(StreamState& source, void* to, const void* from, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    pieces(bytes, [&](std::byte* staged, std::size_t at, std::size_t length) {
      check(api::copy_to_host(staged, static_cast<const std::byte*>(from) + at, length, source.stream),
            "cudaMemcpyAsync", source.ordinal, length, " bytes to the host");
      try {
        wait_for(stream_, source);
      } catch (...) {
        ignore(api::stream_synchronize(source.stream));  // no event of this ring covers that copy
        throw;
      }
      put(static_cast<std::byte*>(to) + at, staged, length);
    });
  }

  /// Copies from the GPU to pageable memory, and waits until the bytes are there.
  void download(void* to, const void* from, std::size_t bytes, CopyOnHost copy) {
    const std::lock_guard lock(mutex_);
    std::size_t copied = 0;  // out of the ring
    int oldest = at_;
    const auto collect = [&] {
      Chunk& chunk = chunks_[static_cast<std::size_t>(oldest)];
      finish(chunk);
      const std::size_t length = std::min(bytes - copied, chunk_bytes);
      copy(static_cast<std::byte*>(to) + copied, chunk.memory, length);
      copied += length;
      oldest = (oldest + 1) % chunk_count;
    };
    for (std::size_t issued = 0; issued < bytes;) {
      if (issued - copied == chunk_count * chunk_bytes) collect();
      Chunk& chunk = chunks_[static_cast<std::size_t>(at_)];
      prepare(chunk);
      const std::size_t length = std::min(bytes - issued, chunk_bytes);
      check(api::copy_to_host(chunk.memory, static_cast<const std::byte*>(from) + issued, length, stream_.stream),
            "cudaMemcpyAsync", stream_.ordinal, length, " bytes to the host");
      record(chunk);
      issued += length;
      at_ = (at_ + 1) % chunk_count;
    }
    while (copied < bytes) collect();
  }

 private:
  static constexpr int chunk_count = 4;

  struct Chunk {
    std::byte* memory = nullptr;
    api::Event done{};
    bool created = false;  // `done`
    bool pending = false;  // `done` was recorded and not waited for
  };

  /// Calls `f(staged, at, length)` for pieces of `bytes` bytes, with room for each in the ring.
  template <class F>
  void pieces(std::size_t bytes, F&& f) {
    for (std::size_t at = 0; at < bytes;) {
      if (used_ == chunk_bytes) {
        record(chunks_[static_cast<std::size_t>(at_)]);
        at_ = (at_ + 1) % chunk_count;
        used_ = 0;
      }
      Chunk& chunk = chunks_[static_cast<std::size_t>(at_)];
      prepare(chunk);
      if (used_ == 0) finish(chunk);
      const std::size_t length = std::min(bytes - at, chunk_bytes - used_);
      std::byte* const staged = chunk.memory + used_;
      used_ = std::min(chunk_bytes, used_ + (length + 63) / 64 * 64);
      f(staged, at, length);
      at += length;
    }
  }

  void put(void* to, const std::byte* staged, std::size_t length) {
    check(api::copy_to_device(to, staged, length, stream_.stream), "cudaMemcpyAsync", stream_.ordinal, length,
          " bytes from the host");
  }

  /// Gives the chunk memory and an event, once.
  void prepare(Chunk& chunk) {
    if (chunk.memory != nullptr) return;
    const DeviceGuard guard(stream_.device->physical, stream_.ordinal);
    if (!chunk.created) {
      check(api::event_create(&chunk.done), "cudaEventCreateWithFlags", stream_.ordinal);
      chunk.created = true;
    }
    void* memory = nullptr;
    check(api::host_allocate(&memory, chunk_bytes), "cudaHostAlloc", stream_.ordinal, chunk_bytes, " bytes");
    chunk.memory = static_cast<std::byte*>(memory);
  }

  void record(Chunk& chunk) {
    chunk.pending = true;
    check(api::event_record(chunk.done, stream_.stream), "cudaEventRecord", stream_.ordinal);
  }

  void finish(Chunk& chunk) {
    if (!chunk.pending) return;
    check(api::event_synchronize(chunk.done), "cudaEventSynchronize", stream_.ordinal);
    chunk.pending = false;
  }

  StreamState& stream_;
  std::mutex mutex_;
  std::array<Chunk, chunk_count> chunks_{};
  int at_ = 0;
  std::size_t used_ = 0;  // of the chunk at `at_`
};

namespace detail {
[[nodiscard]] inline Staging& staging_at(StreamState& stream, Staging*& place) {
  const std::lock_guard lock(stream.mutex);
  if (place == nullptr) place = new Staging(stream);
  return *place;
}
}  // namespace detail

/// For copies from the host in this stream.
[[nodiscard]] inline Staging& upload_staging(StreamState& stream) { return detail::staging_at(stream, stream.uploads); }
/// For copies to the host.
[[nodiscard]] inline Staging& download_staging(StreamState& stream) {
  return detail::staging_at(stream, stream.downloads);
}

}  // namespace situ::cuda

#endif

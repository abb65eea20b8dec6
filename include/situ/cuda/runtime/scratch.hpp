// SPDX-License-Identifier: Apache-2.0
// `Scratch`: temporary memory of a GPU for the kernels of one operation.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <mutex>
#include <utility>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/runtime/device_memory.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/cuda/runtime/workspace.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// Memory for work put into the backend's stream while the object is alive; uninitialized, aligned to 256 bytes. The
/// next `Scratch` in the stream gets the same memory: the stream orders the two, so that nothing waits.
///
///     const Scratch partials(backend, blocks * sizeof(float));
///     launch(backend, {blocks}, FirstPass{x, partials.as<float>()});
///     launch(backend, {1}, SecondPass{partials.as<float>(), blocks, out});
class Scratch {
 public:
  Scratch(const Backend& backend, std::size_t bytes) : stream_(backend.stream), block_(take(*backend.stream, bytes)) {
    api::note_allocated(block_.data, bytes, block_.capacity, stream_->stream);
  }
  Scratch(Scratch&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)), block_(other.block_) {}
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch() {
    if (stream_ == nullptr) return;
    api::note_freed(block_.data, block_.capacity, stream_->stream);
    give_back();
  }

  [[nodiscard]] void* data() const noexcept { return block_.data; }
  template <class T>
  [[nodiscard]] T* as() const noexcept {
    return static_cast<T*>(block_.data);
  }

 private:
  static constexpr std::size_t most_kept = 8;  // blocks of one stream

  static ScratchBlock take(StreamState& stream, std::size_t bytes) {
    // Powers of two, so that operations of similar size reuse each other's blocks.
    constexpr std::size_t largest = std::size_t{1} << 62;
    const std::size_t capacity = bytes >= largest ? bytes : std::bit_ceil(std::max<std::size_t>(bytes, 512));
    {
      const std::lock_guard lock(stream.mutex);
      auto& kept = stream.scratch;
      for (std::size_t i = kept.size(); i-- > 0;) {
        if (kept[i].capacity >= capacity && kept[i].capacity / 8 < capacity) {
          const ScratchBlock found = kept[i];
          kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
          return found;
        }
      }
      kept.reserve(most_kept);
    }
    return {allocate_workspace(stream, capacity), capacity};
  }

  void give_back() noexcept {
    const std::lock_guard lock(stream_->mutex);
    auto& kept = stream_->scratch;
    if (kept.size() == most_kept) {
      free_workspace(*stream_, kept.front());
      kept.erase(kept.begin());
    }
    kept.push_back(block_);  // there is room for most_kept
  }

  StreamState* stream_;
  ScratchBlock block_;
};

}  // namespace situ::internal::cuda

#endif

// SPDX-License-Identifier: Apache-2.0
// Memory of the host that calls of a library work in beside device memory.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/event_pool.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream_state.hpp>

#if defined(SITU_CUDA)
#include <memory>

namespace situ::internal::cuda {

/// The pieces of one thread for one GPU, which is the current one. Nothing says that a library is done with the host's
/// memory when its call returns: a piece is neither used again nor freed before its stream has passed the calls.
///
///     const HostWorkspaces::Use host(workspaces, stream, bytes);
///     call(..., host.data(), bytes);
class HostWorkspaces {
  struct Piece {
    std::unique_ptr<std::byte[]> data;
    std::size_t bytes = 0;
    std::unique_ptr<const PooledEvent> done;  // of the last use
  };

 public:
  /// So many are in use before the host waits.
  static constexpr std::size_t most_pieces = 8;

  /// Memory for calls that are put into a stream while the object lives; null for 0 bytes.
  class Use {
   public:
    Use(HostWorkspaces& from, StreamState& stream, std::size_t bytes) : from_(from), stream_(stream) {
      if (bytes == 0) return;
      Piece piece = from.take(stream.ordinal);
      if (piece.done == nullptr) piece.done = std::make_unique<const PooledEvent>(*stream.device);
      if (piece.bytes < bytes) {
        piece.data = std::make_unique_for_overwrite<std::byte[]>(bytes);
        piece.bytes = bytes;
      }
      piece_ = std::move(piece);
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() {
      if (piece_.data == nullptr) return;
      if (const api::Error error = api::event_record(piece_.done->get(), stream_.stream); error != api::success) {
        ignore(error);
        ignore(await_stream(stream_.stream));
      }
      from_.pieces_.push_back(std::move(piece_));  // there is room
    }

    [[nodiscard]] void* data() const noexcept { return piece_.data.get(); }

   private:
    HostWorkspaces& from_;
    StreamState& stream_;
    Piece piece_;
  };

 private:
  /// The largest piece that no call works in any more; else a new one, without memory; else, when it is free, that of
  /// the oldest call.
  [[nodiscard]] Piece take(int ordinal) {
    pieces_.reserve(most_pieces);
    auto found = pieces_.end();
    for (auto at = pieces_.begin(); at != pieces_.end(); ++at) {
      const api::Error state = api::event_query(at->done->get());
      ignore(state);  // not ready, or not known to be
      if (state == api::success && (found == pieces_.end() || found->bytes < at->bytes)) found = at;
    }
    if (found == pieces_.end()) {
      if (pieces_.size() < most_pieces) return {};
      found = pieces_.begin();
      check(await_event(found->done->get()), "cudaEventSynchronize", ordinal);
    }
    Piece taken = std::move(*found);
    pieces_.erase(found);
    return taken;
  }

  std::vector<Piece> pieces_;  // the oldest use first
};

}  // namespace situ::internal::cuda

#endif

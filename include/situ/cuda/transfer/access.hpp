// SPDX-License-Identifier: Apache-2.0
// Reports reads and writes of storage to the stream tracker: found by `writes(storage)` and `reads(x)`.
#pragma once

#include <situ/core/config.hpp>
#include <situ/core/tensor_name.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/runtime/tracker.hpp>
#include <situ/memory/storage.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// Work put into the backend's stream from now on may write the storage, which has no other user. `name` is for errors.
template <class D>
void before_write(const Backend& backend, const Storage<D>& storage, const TensorName& name = {}) {
  static_assert(!HostDevice<D>, "work on a GPU is told of its own memory only");
  if (!storage) return;
  if (backend.stream->recording != nullptr) [[unlikely]]
    return backend.stream->recording->write(*storage.block(), name);
  track_write(storage.word(), backend.stream);
}

/// Whether the backend's stream records a graph, so that work put into it does not run now.
[[nodiscard]] inline bool is_recording(const Backend& backend) noexcept { return backend.stream->recording != nullptr; }

/// Work put into the backend's stream from now on may read the storage.
template <class D>
void before_read(const Backend& backend, const Storage<D>& storage, const TensorName& name = {}) {
  static_assert(!HostDevice<D>, "work on a GPU is told of its own memory only");
  if (!storage) return;
  if (backend.stream->recording != nullptr) [[unlikely]]
    return backend.stream->recording->read(*storage.block(), name);
  track_read(storage.word(), backend.stream);
}

}  // namespace situ::internal::cuda

#endif

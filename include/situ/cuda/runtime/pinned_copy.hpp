// SPDX-License-Identifier: Apache-2.0
// Copies between a GPU and pinned host memory, with the bytes in one row or several.
#pragma once

#include <cstddef>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream_state.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// `height` rows of `width` bytes; the pitches are the distances of their starts on either side, in bytes.
struct ByteRows {
  std::size_t width;
  std::size_t height = 1;
  std::size_t to_pitch = 0;
  std::size_t from_pitch = 0;

  ByteRows(std::size_t bytes) : width(bytes), to_pitch(bytes), from_pitch(bytes) {}  // NOLINT: a single row
  ByteRows(std::size_t width_, std::size_t height_, std::size_t to_pitch_, std::size_t from_pitch_)
      : width(width_), height(height_), to_pitch(to_pitch_), from_pitch(from_pitch_) {}

  [[nodiscard]] std::size_t bytes() const noexcept { return width * height; }
};

/// From pinned memory to the GPU, in stream order.
inline void copy_rows_to_device(const StreamState& stream, void* to, const void* from, const ByteRows& rows) {
  const ObservedWork work(stream, "copy to the GPU", rows.bytes());
  const api::Error error = rows.height == 1 ? api::copy_to_device(to, from, rows.width, stream.stream)
                                            : api::copy_rows_to_device(to, rows.to_pitch, from, rows.from_pitch,
                                                                       rows.width, rows.height, stream.stream);
  check(error, "cudaMemcpyAsync", stream.ordinal, rows.bytes(), " bytes from the host");
}

/// From the GPU to pinned memory, in stream order.
inline void copy_rows_to_host(const StreamState& stream, void* to, const void* from, const ByteRows& rows) {
  const ObservedWork work(stream, "copy to the host", rows.bytes());
  const api::Error error = rows.height == 1 ? api::copy_to_host(to, from, rows.width, stream.stream)
                                            : api::copy_rows_to_host(to, rows.to_pitch, from, rows.from_pitch,
                                                                     rows.width, rows.height, stream.stream);
  check(error, "cudaMemcpyAsync", stream.ordinal, rows.bytes(), " bytes to the host");
}

}  // namespace situ::internal::cuda

#endif

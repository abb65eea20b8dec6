// SPDX-License-Identifier: Apache-2.0
// The streams in which functions are captured: kept for the next capture.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/stream.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// The streams of a capture. The function's first call runs in one; the other records. Only the capture uses the
/// recording stream, and nothing ever runs in it: it is not among the device's streams, which others wait for.
struct CaptureStreams {
  StreamState* rehearsal = nullptr;
  StreamState* recording = nullptr;
};

namespace detail {

struct IdleCaptureStreams {
  std::mutex mutex;
  std::array<std::vector<CaptureStreams>, max_devices> idle;
};
[[nodiscard]] inline IdleCaptureStreams& idle_capture_streams() {
  static IdleCaptureStreams& streams = *new IdleCaptureStreams;  // never destroyed, like the streams
  return streams;
}

[[nodiscard]] inline CaptureStreams take_capture_streams(int ordinal) {
  DeviceState& device = device_state(ordinal);
  IdleCaptureStreams& all = idle_capture_streams();
  auto& idle = all.idle[static_cast<std::size_t>(ordinal)];
  {
    const std::lock_guard lock(all.mutex);
    if (!idle.empty()) {
      const CaptureStreams found = idle.back();
      idle.pop_back();
      return found;
    }
    idle.reserve(idle.capacity() + 1);  // for those created now: returning them must not fail
  }
  auto recorder = std::make_unique<StreamState>();
  recorder->device = &device;
  recorder->ordinal = ordinal;
  recorder->captures = true;
  CaptureStreams made;
  made.rehearsal = make_stream(device);
  const DeviceGuard guard(device.physical, ordinal);
  check(api::stream_create(&recorder->stream), "cudaStreamCreateWithFlags", ordinal);
  made.recording = recorder.release();
  return made;
}
inline void give_capture_streams(const CaptureStreams& streams) noexcept {
  IdleCaptureStreams& all = idle_capture_streams();
  const std::lock_guard lock(all.mutex);
  all.idle[static_cast<std::size_t>(streams.recording->ordinal)].push_back(streams);
}

}  // namespace detail

}  // namespace situ::internal::cuda

#endif

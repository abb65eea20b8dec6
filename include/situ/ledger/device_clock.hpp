// SPDX-License-Identifier: Apache-2.0
// When work in a GPU's streams began and ended, by events of CUDA that are read later: nobody waits for them meanwhile.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <situ/core/movement.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/runtime/handles.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/ledger/book.hpp>

#if defined(SITU_CUDA)
#include <array>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>
#endif

namespace situ::internal::ledger {

[[nodiscard]] inline std::int64_t now() noexcept {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

/// Work of a stream that is over.
struct Work {
  const char* name;
  std::size_t bytes;  // of a copy
  std::int32_t place;
  std::int64_t number;
  Track track;
  std::int64_t begin;
  std::int64_t duration;
};

#if defined(SITU_CUDA)

/// Under the recorder's lock.
class DeviceClock {
 public:
  struct Span {
    cuda::StreamState* stream;
    const char* name;
    std::size_t bytes;
    std::int32_t place;
    std::int64_t number;
    cuda::NativeEvent begin;
    cuda::NativeEvent end;
    bool closed;
  };

  /// Null for work that does not run but is recorded for a graph. Throws what CUDA says.
  [[nodiscard]] Span* begin(cuda::StreamState& stream, const char* name, std::size_t bytes, std::int32_t place) {
    if (cuda::records() || stream.captures) return nullptr;
    Device& device = devices_.at(static_cast<std::size_t>(stream.ordinal));
    if (device.base == cuda::NativeEvent{}) set_base(device, stream.ordinal);
    const cuda::NativeEvent first = take(device, stream.ordinal);
    const cuda::NativeEvent last = take(device, stream.ordinal);
    record(first, stream);
    return &pending_.emplace_back(Span{&stream, name, bytes, place, ++number_, first, last, false});
  }

  void end(Span& span) {
    span.closed = true;
    record(span.end, *span.stream);
  }

  /// Gives `f` the work that is over; with `wait` it waits for all that has begun.
  template <class F>
  void settle(bool wait, const F& f) {
    while (!pending_.empty() && pending_.front().closed) {
      const Span span = pending_.front();
      Device& device = devices_.at(static_cast<std::size_t>(span.stream->ordinal));
      cuda::choose_device(span.stream->device->physical, span.stream->ordinal);
      const cuda::api::Error state =
          wait ? cuda::api::event_synchronize(span.end) : cuda::api::event_query(span.end);
      if (state == cuda::api::not_ready) return static_cast<void>(cuda::api::last_error());
      pending_.pop_front();
      float since = 0;
      float took = 0;
      if (state == cuda::api::success &&
          cuda::api::event_elapsed(&since, device.base, span.begin) == cuda::api::success &&
          cuda::api::event_elapsed(&took, span.begin, span.end) == cuda::api::success) {
        f(Work{span.name, span.bytes, span.place, span.number, track_of(*span.stream),
               device.base_time + nanoseconds(since), nanoseconds(took)});
      } else {
        cuda::ignore(state);
        static_cast<void>(cuda::api::last_error());  // what failed is told to who waits for it
      }
      device.idle.push_back(span.begin);
      device.idle.push_back(span.end);
    }
  }

  [[nodiscard]] std::size_t pending() const noexcept { return pending_.size(); }
  /// The number of the newest.
  [[nodiscard]] std::int64_t number() const noexcept { return number_; }

  [[nodiscard]] std::vector<std::pair<Track, std::string>> tracks() const {
    std::vector<std::pair<Track, std::string>> named;
    for (const auto& [stream, track] : tracks_) named.emplace_back(track, name_of(*stream, track));
    return named;
  }

 private:
  struct Device {
    cuda::NativeEvent base{};  // over at the host's `base_time`
    std::int64_t base_time = 0;
    std::vector<cuda::NativeEvent> idle{};
  };

  [[nodiscard]] static std::string name_of(const cuda::StreamState& stream, Track track) {
    const auto is = [&](cuda::CopyWay way) {
      return stream.device->copy_streams[static_cast<std::size_t>(way)].load() == &stream;
    };
    if (&stream == stream.device->compute) return "compute stream";
    if (is(cuda::CopyWay::to_gpu)) return "copies to the GPU";
    if (is(cuda::CopyWay::to_host)) return "copies to the host";
    if (is(cuda::CopyWay::between_gpus)) return "copies between GPUs";
    return "stream " + std::to_string(track.number);
  }

  [[nodiscard]] static std::int64_t nanoseconds(float milliseconds) noexcept {
    return static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
  }

  static void record(cuda::NativeEvent event, const cuda::StreamState& stream) {
    cuda::check(cuda::api::event_record(event, stream.stream), "cudaEventRecord", stream.ordinal);
  }

  /// In a stream of its own, where nothing is waited for.
  static void set_base(Device& device, int ordinal) {
    cuda::StreamState* const stream = cuda::take_stream(ordinal);
    const cuda::NativeEvent base = cuda::make_event(ordinal, /*timed=*/true);
    record(base, *stream);
    cuda::check(cuda::api::event_synchronize(base), "cudaEventSynchronize", ordinal);
    device.base_time = now();
    device.base = base;
    cuda::give_stream(stream);
  }

  [[nodiscard]] static cuda::NativeEvent take(Device& device, int ordinal) {
    if (device.idle.empty()) return cuda::make_event(ordinal, /*timed=*/true);
    const cuda::NativeEvent event = device.idle.back();
    device.idle.pop_back();
    return event;
  }

  [[nodiscard]] Track track_of(const cuda::StreamState& stream) {
    return tracks_.try_emplace(&stream, Track{1 + stream.ordinal, static_cast<int>(tracks_.size())}).first->second;
  }

  std::array<Device, cuda::max_devices> devices_{};
  std::deque<Span> pending_{};  // what is in it stays where it is
  std::map<const cuda::StreamState*, Track> tracks_{};
  std::int64_t number_ = 0;
};

#endif

}  // namespace situ::internal::ledger

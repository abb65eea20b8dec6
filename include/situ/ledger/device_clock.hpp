// SPDX-License-Identifier: Apache-2.0
// The times of work in a GPU's streams, from CUDA events that are read later, so that nothing waits meanwhile.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <situ/core/movement.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/runtime/handles.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/ledger/book.hpp>
#include <situ/ledger/stream_time.hpp>

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

/// Finished work of a stream.
struct Work {
  const char* name;
  std::size_t bytes;  // for a copy
  std::int32_t place;
  std::int64_t number;
  Track track;
  std::int64_t begin;
  std::int64_t duration;
};

#if defined(SITU_CUDA)

/// Guarded by the recorder's lock.
class DeviceClock {
 public:
  struct Span {
    cuda::StreamState* stream;
    const char* name;
    std::size_t bytes;
    std::int32_t place;
    std::int64_t number;
    std::int64_t launched;
    cuda::NativeEvent begin;
    cuda::NativeEvent end;
    bool closed;
  };

  /// Null for work that is recorded for a graph instead of run. Throws CUDA's errors.
  [[nodiscard]] Span* begin(cuda::StreamState& stream, const char* name, std::size_t bytes, std::int32_t place) {
    if (cuda::records() || stream.captures) return nullptr;
    if (!lanes_.contains(&stream)) open(stream);
    const cuda::NativeEvent first = take(stream.ordinal);
    const cuda::NativeEvent last = take(stream.ordinal);
    const std::int64_t launched = now();
    record(first, stream);
    return &pending_.emplace_back(Span{&stream, name, bytes, place, ++number_, launched, first, last, false});
  }

  void end(Span& span) {
    span.closed = true;
    record(span.end, *span.stream);
  }

  /// Passes finished work to `f`; with `wait` it waits for all that has begun.
  template <class F>
  void settle(bool wait, const F& f) {
    while (!pending_.empty() && pending_.front().closed) {
      Span span = pending_.front();
      cuda::choose_device(span.stream->device->physical, span.stream->ordinal);
      const cuda::api::Error state = wait ? cuda::api::event_synchronize(span.end) : cuda::api::event_query(span.end);
      if (state == cuda::api::not_ready) return static_cast<void>(cuda::api::last_error());
      const std::int64_t over = now();
      pending_.pop_front();
      Lane& lane = lanes_.at(span.stream);
      float since = 0;
      float took = 0;
      if (state == cuda::api::success &&
          cuda::api::event_elapsed(&since, lane.origin, span.begin) == cuda::api::success &&
          cuda::api::event_elapsed(&took, span.begin, span.end) == cuda::api::success) {
        const double begin = lane.time.begin(since, took, span.launched, over);
        f(Work{span.name, span.bytes, span.place, span.number, lane.track, static_cast<std::int64_t>(begin),
               static_cast<std::int64_t>(static_cast<double>(took) * 1e6)});
        if (since > StreamTime::farthest) {
          std::swap(lane.origin, span.begin);
          lane.time.restart(begin);
        }
      } else {
        cuda::ignore(state);
        static_cast<void>(cuda::api::last_error());  // the thread that waits for the work gets the error
      }
      std::vector<cuda::NativeEvent>& idle = idle_.at(static_cast<std::size_t>(span.stream->ordinal));
      idle.push_back(span.begin);
      idle.push_back(span.end);
    }
  }

  [[nodiscard]] std::size_t pending() const noexcept { return pending_.size(); }
  /// The number of the newest.
  [[nodiscard]] std::int64_t number() const noexcept { return number_; }

  [[nodiscard]] std::vector<std::pair<Track, std::string>> tracks() const {
    std::vector<std::pair<Track, std::string>> named;
    for (const auto& [stream, lane] : lanes_) named.emplace_back(lane.track, name_of(*stream, lane.track));
    return named;
  }

 private:
  /// A stream in the timeline. Its works begin in order, so none begins before the origin.
  struct Lane {
    Track track;
    cuda::NativeEvent origin;
    StreamTime time;
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

  static void record(cuda::NativeEvent event, const cuda::StreamState& stream) {
    cuda::check(cuda::api::event_record(event, stream.stream), "cudaEventRecord", stream.ordinal);
  }

  /// The first origin is an event in an empty stream, so that nothing waits.
  void open(const cuda::StreamState& stream) {
    cuda::StreamState* const empty = cuda::take_stream(stream.ordinal);
    const cuda::NativeEvent origin = cuda::make_event(stream.ordinal, /*timed=*/true);
    record(origin, *empty);
    cuda::check(cuda::api::event_synchronize(origin), "cudaEventSynchronize", stream.ordinal);
    const StreamTime time(now());
    cuda::give_stream(empty);
    const Track track{1 + stream.ordinal, static_cast<int>(lanes_.size())};
    lanes_.try_emplace(&stream, Lane{track, origin, time});
  }

  [[nodiscard]] cuda::NativeEvent take(int ordinal) {
    std::vector<cuda::NativeEvent>& idle = idle_.at(static_cast<std::size_t>(ordinal));
    if (idle.empty()) return cuda::make_event(ordinal, /*timed=*/true);
    const cuda::NativeEvent event = idle.back();
    idle.pop_back();
    return event;
  }

  std::array<std::vector<cuda::NativeEvent>, cuda::max_devices> idle_{};
  std::deque<Span> pending_{};  // elements keep their addresses
  std::map<const cuda::StreamState*, Lane> lanes_{};
  std::int64_t number_ = 0;
};

#endif

}  // namespace situ::internal::ledger

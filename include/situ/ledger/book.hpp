// SPDX-License-Identifier: Apache-2.0
// What one ledger has written down.
#pragma once

#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace situ::internal::ledger {

/// A row of the trace: a process (0 is the host, then the GPUs), and in it a thread, or a stream.
struct Track {
  int process = 0;
  int number = 0;
};

/// Something in the timeline; times are the host's, in nanoseconds.
struct TraceEvent {
  enum class Kind : std::uint8_t { call, wait, copy, kernel, memory };
  Kind kind;
  Track track;
  const char* name;    // a literal; null for a call, which is named by its place
  std::int32_t place;  // of the recorder's places, -1 for none; for memory the number of the device
  std::int64_t begin;
  std::int64_t duration;
  std::int64_t bytes;  // for memory what there is from here on
};

/// What the calls of a place did.
struct Numbers {
  std::int64_t count = 0;
  std::size_t bytes = 0;
  std::int64_t on_device = 0;
  std::int64_t waited = 0;
};

/// Under the recorder's lock.
struct Book {
  pthread_t thread = pthread_self();  // that opened it
  std::int64_t opened = 0;
  std::int64_t first_work = 0;  // the number of the first work in a stream that is its own
  std::size_t most_events = 0;
  std::map<std::int32_t, Numbers> numbers{};  // by place
  std::map<std::int32_t, std::int64_t> memory{};
  std::vector<TraceEvent> events{};
  std::int64_t dropped = 0;  // events beyond the most

  void note(const TraceEvent& event) {
    if (events.size() < most_events) events.push_back(event);
    else ++dropped;
  }
};

}  // namespace situ::internal::ledger

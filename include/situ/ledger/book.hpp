// SPDX-License-Identifier: Apache-2.0
// The records of one ledger.
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

/// An event in the timeline; times are the host's, in nanoseconds.
struct TraceEvent {
  enum class Kind : std::uint8_t { call, wait, copy, kernel, memory };
  Kind kind;
  Track track;
  const char* name;    // a literal; null for a call, which its place names
  std::int32_t place;  // index of a recorder's place, -1 for none; for memory the device number
  std::int64_t begin;
  std::int64_t duration;
  std::int64_t bytes;  // for memory the amount from here on
};

/// The totals of a place's calls.
struct Numbers {
  std::int64_t count = 0;
  std::size_t bytes = 0;
  std::int64_t on_device = 0;
  std::int64_t waited = 0;
};

/// Guarded by the recorder's lock.
struct Book {
  pthread_t thread = pthread_self();  // the thread that opened it
  std::int64_t opened = 0;
  std::int64_t first_work = 0;  // the number of its first work in a stream
  std::size_t most_events = 0;
  std::map<std::int32_t, Numbers> numbers{};  // by place
  std::map<std::int32_t, std::int64_t> memory{};
  std::vector<TraceEvent> events{};
  std::int64_t dropped = 0;  // events beyond `most_events`

  void note(const TraceEvent& event) {
    if (events.size() < most_events) events.push_back(event);
    else ++dropped;
  }
};

}  // namespace situ::internal::ledger

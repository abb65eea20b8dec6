// SPDX-License-Identifier: Apache-2.0
// Operations, called but not yet run, in streams; and records, in events.
#pragma once

#include <pthread.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include <situ/emulation/claims.hpp>

namespace situ::internal::cuda::emulated {

struct Stream;

/// One call of event_record: a point in a stream.
struct Record {
  Stream* stream = nullptr;
  bool done = false;
  Ordered order{};
  std::chrono::steady_clock::time_point when{};
};

struct Operation {
  explicit Operation(const char* what) : name(what) {}
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;
  virtual void run() = 0;

  const char* name;
  /// Must be done first.
  std::shared_ptr<Record> waits_for{};
  /// Bit `d`: accesses memory of device `d`, although the stream's device may have no access.
  std::uint64_t other_devices = 0;
  /// Host memory that it accesses.
  const void* host = nullptr;
  /// Runs even after a sticky error, so that the bookkeeping stays right.
  bool bookkeeping = false;
  /// For operations that free memory: done with it.
  std::shared_ptr<Record> done{};
  /// The change of ownership that it makes, and its position. See claims.hpp.
  Claim claim{};
  Ordered order{};
};

template <class F>
struct Action final : Operation {
  Action(const char* what, F function) : Operation(what), call(std::move(function)) {}
  void run() override { call(); }
  F call;
};

template <class F>
std::unique_ptr<Operation> make_operation(const char* name, F call) {
  return std::make_unique<Action<F>>(name, std::move(call));
}

/// The operations put into a stream while it captured. They may run any number of times.
struct Graph {
  int device = 0;
  std::vector<std::shared_ptr<Operation>> operations{};
};

/// A graph that can be launched.
struct GraphExec {
  Graph graph;
  std::shared_ptr<Record> last{};  // of its last launch
};

/// A stream that puts operations into a graph instead of running them.
struct Capture {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  pthread_t thread = pthread_self();
  bool invalidated = false;
};

struct Stream {
  int device = 0;
  bool destroyed = false;
  std::unique_ptr<Capture> capture{};
  std::deque<std::unique_ptr<Operation>> operations{};
  Ordered order{};  // of operations put into it now
};

struct Event {
  int device = 0;
  bool timed = false;
  bool captured = false;  // last recorded in a stream that captured
  std::shared_ptr<Record> last{};
};

}  // namespace situ::internal::cuda::emulated

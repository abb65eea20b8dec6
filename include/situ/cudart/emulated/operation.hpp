// SPDX-License-Identifier: Apache-2.0
// What streams hold: operations that have been called and not yet run; and what events hold: records.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

namespace situ::cuda::emulated {

struct Stream;

/// One call of event_record: a place in a stream.
struct Record {
  Stream* stream = nullptr;
  bool done = false;
  std::chrono::steady_clock::time_point when{};
};

struct Operation {
  explicit Operation(const char* what) : name(what) {}
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;
  virtual void run() = 0;

  const char* name;
  /// Must be done before.
  std::shared_ptr<Record> waits_for{};
  /// Bit `d`: memory of device `d` is touched, though the stream's device may have no access.
  std::uint64_t other_devices = 0;
  /// Host memory that is touched.
  const void* host = nullptr;
  /// Runs even after a sticky error, so that the books stay right.
  bool bookkeeping = false;
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

struct Stream {
  int device = 0;
  bool destroyed = false;
  std::deque<std::unique_ptr<Operation>> operations{};
};

struct Event {
  int device = 0;
  bool timed = false;
  std::shared_ptr<Record> last{};
};

}  // namespace situ::cuda::emulated

// SPDX-License-Identifier: Apache-2.0
// The scheduling of machine.hpp: the order in which operations of streams run.
#pragma once

#include <pthread.h>

#include <exception>
#include <memory>

#include <situ/emulation/machine.hpp>
#include <situ/emulation/trap.hpp>

namespace situ::internal::cuda::emulated {

inline Machine::Machine() {
  int count = 2;
  if (const char* const wanted = std::getenv("SITU_EMULATED_DEVICES")) count = std::atoi(wanted);
  if (const char* const wanted = std::getenv("SITU_EMULATED_ORDER")) {
    if (std::strcmp(wanted, "early") == 0) order = Order::early;
    else if (std::strcmp(wanted, "late") != 0) {
      order = Order::random;
      seed = std::strtoull(wanted, nullptr, 10) * 2 + 1;
    }
  }
  if (const char* const wanted = std::getenv("SITU_EMULATED_DRIVER")) driver_version = std::atoi(wanted);
  for (int i = 0; i < count && i < most_devices; ++i) devices.push_back(std::make_unique<Device>());
  detail::install_trap();
  pthread_atfork([] { machine().lock.lock(); }, [] { machine().lock.unlock(); }, [] { machine().lock.unlock(); });
}

inline Pool* Machine::pool_of(const void* pointer) const noexcept {
  for (Pool* const pool : pools) {
    if (pool->memory.contains(pointer)) return pool;
  }
  return nullptr;
}
inline int Machine::device_of(const void* pointer) const noexcept {
  const Pool* const pool = pool_of(pointer);
  return pool == nullptr ? -1 : pool->device;
}

inline ErrorCode Machine::wrong(ErrorCode code, std::string what) {
  message = std::move(what);
  return code;
}

inline void Machine::fail(ErrorCode code, std::string what) {
  if (sticky != ErrorCode::success) return;
  sticky = code;
  message = std::move(what);
}

inline std::uint64_t Machine::draw(std::uint64_t below) noexcept {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed % below;
}

inline void Machine::enqueue(Stream& stream, std::unique_ptr<Operation> operation) {
  if (stream.capture != nullptr) return stream.capture->graph->operations.push_back(std::move(operation));
  put_in_order(stream, *operation);
  stream.operations.push_back(std::move(operation));
  if (order == Order::early) {
    finish(stream);
  } else if (order == Order::random) {
    run_some();
    close();
  }
}

inline void Machine::put_in_order(Stream& stream, Operation& operation) {
  if constexpr (!under_address_sanitizer) return;
  stream.order.knows.learn(over_);
  ++stream.order.turn.operations;
  operation.order = stream.order;
  if (operation.claim.start == nullptr) return;
  operation.claim.by = operation.name;
  operation.claim.order = operation.order;
  claims.call(operation.claim);
}

inline void Machine::order_after(Stream& stream, const Ordered& other) {
  if constexpr (!under_address_sanitizer) return;
  stream.order.knows.learn(other.turn);
  stream.order.knows.learn(other.knows);
}
inline void Machine::order_after(const Ordered& other) {
  if constexpr (!under_address_sanitizer) return;
  over_.learn(other.turn);
  over_.learn(other.knows);
}

/// In random order, runs up to two operations of any streams. On average as many as are added, so that streams are
/// sometimes short and sometimes long: with more, they would nearly always be empty, and a missing wait would do no
/// harm.
inline void Machine::run_some() {
  for (std::uint64_t left = draw(3); left > 0; --left) {
    std::vector<Stream*> waiting;
    for (Stream* const stream : streams) {
      if (!stream->operations.empty()) waiting.push_back(stream);
    }
    if (waiting.empty()) return;
    step(*waiting[draw(waiting.size())]);
  }
}

inline void Machine::open_for(const Stream& stream, const Operation& operation) {
  const auto bit = std::uint64_t{1} << stream.device;
  const std::uint64_t reached = bit | operation.other_devices;
  for (Pool* const pool : pools) pool->memory.set_open((reached >> pool->device & 1) != 0 || (pool->peers & bit) != 0);
}

inline void Machine::close() {
  for (Pool* const pool : pools) pool->memory.set_open(false);
}

inline void Machine::run_next(Stream& stream) {
  const std::unique_ptr<Operation> operation = std::move(stream.operations.front());
  stream.operations.pop_front();
  if (sticky != ErrorCode::success && !operation->bookkeeping) return;
  open_for(stream, *operation);
  running_device = stream.device;
  running_name = operation->name;
  running_here = true;
  if (under_address_sanitizer && !operation->bookkeeping) claims.close(operation->order);
  try {
    operation->run();
  } catch (const std::exception& error) {
    fail(ErrorCode::launch_failure, std::string(operation->name) + ": " + error.what());
  }
  claims.open();
  if (under_address_sanitizer && operation->claim.start != nullptr) claims.run(operation->claim);
  if (operation->done != nullptr) operation->done->done = true;
  running_here = false;
}

inline void Machine::step(Stream& stream) {
  Stream* runs = &stream;
  while (true) {
    const std::shared_ptr<Record>& record = runs->operations.front()->waits_for;
    if (record == nullptr || record->done) break;
    runs = record->stream;
  }
  run_next(*runs);
}

inline ErrorCode Machine::finish(Stream& stream) {
  while (!stream.operations.empty()) {
    step(stream);
    if (order == Order::random) run_some();
  }
  close();
  forget_drained();
  return sticky;
}

inline ErrorCode Machine::finish(const std::shared_ptr<Record>& record) {
  while (!record->done) {
    step(*record->stream);
    if (order == Order::random) run_some();
  }
  close();
  forget_drained();
  return sticky;
}

inline ErrorCode Machine::finish_device(int ordinal) {
  while (true) {
    Stream* waiting = nullptr;
    for (Stream* const stream : streams) {
      if (stream->device == ordinal && !stream->operations.empty()) waiting = stream;
    }
    if (waiting == nullptr) break;
    finish(*waiting);
  }
  return sticky;
}

inline void Machine::forget_drained() {
  std::erase_if(streams, [](Stream* stream) {
    if (!stream->destroyed || !stream->operations.empty()) return false;
    delete stream;
    return true;
  });
}

}  // namespace situ::internal::cuda::emulated

// SPDX-License-Identifier: Apache-2.0
// The emulated machine: its devices, the objects that the program has created on them, and the scheduling of stream
// operations. All under one lock. It is never destroyed, so that threads and static objects may use it until the
// process ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <situ/emulation/block_run.hpp>
#include <situ/emulation/device_memory.hpp>
#include <situ/emulation/error_code.hpp>
#include <situ/emulation/operation.hpp>

namespace situ::internal::cuda::emulated {

inline constexpr int most_devices = 64;
inline constexpr int multiprocessors = 2;

/// When an operation runs: not before its stream is waited for, at once, or some time in between, drawn from a seed.
enum class Order { late, early, random };

struct Device {
  std::size_t limit = std::size_t{16} << 30;
  std::size_t reserved = 0;                     // by its pools
  std::uint64_t can_reach = ~std::uint64_t{0};  // bit `d`: peer access to device `d` is possible
  bool has_context = false;
};

class Machine {
 public:
  Machine();

  [[nodiscard]] int device_count() const noexcept { return static_cast<int>(devices.size()); }
  [[nodiscard]] Device& device(int ordinal) { return *devices[static_cast<std::size_t>(ordinal)]; }
  [[nodiscard]] bool has(const Stream* stream) const {
    return std::find(streams.begin(), streams.end(), stream) != streams.end();
  }
  /// The pool that contains `pointer`; null if there is none.
  [[nodiscard]] Pool* pool_of(const void* pointer) const noexcept;
  /// The device of that pool; -1 if there is none.
  [[nodiscard]] int device_of(const void* pointer) const noexcept;

  // --- errors --------------------------------------------------------------------------------------------------------
  /// Records what was wrong with a call.
  ErrorCode wrong(ErrorCode code, std::string what);
  /// Records that an operation failed: all later calls fail, too.
  void fail(ErrorCode code, std::string what);

  // --- running, see schedule.hpp -------------------------------------------------------------------------------------
  void enqueue(Stream& stream, std::unique_ptr<Operation> operation);
  /// Runs a stream to its end.
  ErrorCode finish(Stream& stream);
  /// Runs the record's stream up to it.
  ErrorCode finish(const std::shared_ptr<Record>& record);
  ErrorCode finish_device(int device);
  /// Runs the next operation of a stream, or one that it must wait for.
  void step(Stream& stream);
  /// Deletes streams that have been destroyed and are empty.
  void forget_drained();
  /// Closes the memory of all devices.
  void close();

  // --- the order of operations, see claims.hpp -----------------------------------------------------------------------
  /// Orders all work put into a stream from now on after `other`.
  void order_after(Stream& stream, const Ordered& other);
  /// The same for all streams: the host has waited for `other`.
  void order_after(const Ordered& other);

  std::mutex lock;
  std::vector<std::unique_ptr<Device>> devices;
  /// In order of creation, so that a seed has the same effect in every run.
  std::vector<Stream*> streams;
  std::set<Event*> events;
  std::set<Pool*> pools;
  std::set<Graph*> graphs;
  std::set<GraphExec*> executable_graphs;
  std::map<const char*, std::size_t> host_blocks;
  Order order = Order::late;
  std::uint64_t seed = 0;
  int driver_version = 13000;
  ErrorCode sticky = ErrorCode::success;
  std::string message;
  int streams_made = 0;
  Claims claims;
  std::unique_ptr<Block> block = std::make_unique<Block>();
  // The operation that runs, for messages; and whether this host thread runs one.
  const char* running_name = "";
  int running_device = -1;
  static inline constinit thread_local bool running_here = false;

 private:
  void put_in_order(Stream& stream, Operation& operation);
  void run_next(Stream& stream);
  void open_for(const Stream& stream, const Operation& operation);
  std::uint64_t draw(std::uint64_t below) noexcept;
  void run_some();

  Knowledge over_;  // because the host has waited for it
};

/// The machine of the process.
inline Machine& machine() {
  static Machine* const the_machine = new Machine;
  return *the_machine;
}

}  // namespace situ::internal::cuda::emulated

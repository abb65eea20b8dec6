// SPDX-License-Identifier: Apache-2.0
// The interface to the transport between processes: src/mpi/, or nothing if a program is not linked with situ::mpi.
// Everything that takes time is a `Transfer` that is polled until it is over, so that the waiting thread may give up,
// or learn that another rank has left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace situ {

namespace every_file_of_a_program_needs_the_same_situ_mpi {
// As in core/config.hpp: with the target situ::mpi, or without.
#if defined(SITU_MPI)
[[gnu::used, gnu::visibility("hidden")]] inline thread_local char has_mpi = 0;
#else
[[gnu::used, gnu::visibility("hidden")]] inline char has_mpi = 0;
#endif
}  // namespace every_file_of_a_program_needs_the_same_situ_mpi

namespace internal::world {

/// Bytes in transit. The memory must stay until `over`; a transfer dropped earlier may still write to it.
class Transfer {
 public:
  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  virtual ~Transfer() = default;

  /// Whether everything for this rank has arrived, and its memory may be reused. Drives the transfer. Throws
  /// `CollectiveError`.
  [[nodiscard]] virtual bool over() = 0;
};

/// The begin and the number of a rank's bytes.
struct Part {
  std::size_t begin = 0;
  std::size_t bytes = 0;
};

/// Some ranks, numbered from 0, that exchange bytes. All of them call the same functions in the same order; a
/// `Transfer` begins with the call. Used by one thread at a time.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;

  /// The ranks with the same color, in the order of their numbers here. Waits for all.
  [[nodiscard]] virtual std::unique_ptr<Communicator> split(int color) = 0;

  /// Sends part `r` of `from` to rank `r`, and receives that rank's part into part `r` of `to`.
  [[nodiscard]] virtual std::unique_ptr<Transfer> all_to_all(const std::byte* from, std::span<const Part> sent,
                                                             std::byte* to, std::span<const Part> received) = 0;
  /// Sends a message to each other rank `r`, part `r` of `from`, and receives one into part `r` of `to`, which has room
  /// for the longest possible: the one call that works no matter which collective the other ranks have called.
  [[nodiscard]] virtual std::unique_ptr<Transfer> meet(const std::byte* from, std::span<const Part> sent, std::byte* to,
                                                       std::span<const Part> received) = 0;
  /// Sends the bytes of rank `r` to part `r` of `to` on all ranks; a rank's own may be there already.
  [[nodiscard]] virtual std::unique_ptr<Transfer> all_gather(std::span<const std::byte> from, std::byte* to,
                                                             std::span<const Part> received) = 0;
  /// Sends the bytes of rank `root` to all.
  [[nodiscard]] virtual std::unique_ptr<Transfer> broadcast(std::span<std::byte> bytes, int root) = 0;
  /// Replaces each number by the largest of all ranks.
  [[nodiscard]] virtual std::unique_ptr<Transfer> largest(std::span<std::uint64_t> numbers) = 0;

  /// Ends the processes of all ranks with this exit code.
  virtual void abort(int code) noexcept = 0;
};

/// A few bytes from one rank to another outside any collective: that it waits, that it has left.
struct Notice {
  int from = 0;
  std::vector<std::byte> bytes;
};

/// The communicator of all ranks of the job.
class Job : public Communicator {
 public:
  /// Sends a notice, without waiting.
  virtual void send_notice(int to, std::span<const std::byte> bytes) = 0;
  /// Receives a notice; false if none has arrived.
  [[nodiscard]] virtual bool receive_notice(Notice& notice) = 0;
  /// The last call, when all ranks have left and nothing is in transit.
  virtual void finish() = 0;
  /// The name of this machine, for messages.
  [[nodiscard]] virtual std::string host() const = 0;
};

#if defined(SITU_MPI)
/// The job that MPI's launcher started. Throws `CollectiveError`.
[[nodiscard]] std::unique_ptr<Job> join_mpi(int* count, char*** arguments);
#endif

}  // namespace internal::world
}  // namespace situ

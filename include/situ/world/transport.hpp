// SPDX-License-Identifier: Apache-2.0
// The seam to what carries bytes between processes: src/mpi/, or nothing where a program is not linked with situ::mpi.
// Whatever takes time is a `Transfer` that is asked whether it is over, so that who waits may give up, or hear that
// another rank has left.
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

/// Bytes on their way. The memory must stay until `over`; one that is dropped before may write to it later.
class Transfer {
 public:
  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  virtual ~Transfer() = default;

  /// Whether all that concerns this rank has arrived, and its memory is its own again. Drives the transfer. Throws
  /// `CollectiveError`.
  [[nodiscard]] virtual bool over() = 0;
};

/// Where a rank's bytes begin, and how many there are.
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

  /// The ranks that name the same color, in the order of their numbers here. Waits for all.
  [[nodiscard]] virtual std::unique_ptr<Communicator> split(int color) = 0;

  /// Part `r` of `from` goes to rank `r`, whose part of it stands in part `r` of its `to`.
  [[nodiscard]] virtual std::unique_ptr<Transfer> all_to_all(const std::byte* from, std::span<const Part> sent,
                                                             std::byte* to, std::span<const Part> received) = 0;
  /// A message to each other rank, which is part `r` of `from`, and one from each into part `r` of `to`, which has room
  /// for the longest there may be: the one call that fits whatever the other ranks are about to do.
  [[nodiscard]] virtual std::unique_ptr<Transfer> meet(const std::byte* from, std::span<const Part> sent, std::byte* to,
                                                       std::span<const Part> received) = 0;
  /// The bytes of rank `r` go to part `r` of `to`, on all; its own may stand there already.
  [[nodiscard]] virtual std::unique_ptr<Transfer> all_gather(std::span<const std::byte> from, std::byte* to,
                                                             std::span<const Part> received) = 0;
  /// The bytes of rank `root` go to all.
  [[nodiscard]] virtual std::unique_ptr<Transfer> broadcast(std::span<std::byte> bytes, int root) = 0;
  /// Each number becomes the largest that any rank has there.
  [[nodiscard]] virtual std::unique_ptr<Transfer> largest(std::span<std::uint64_t> numbers) = 0;

  /// Ends the processes of all ranks with this exit code.
  virtual void abort(int code) noexcept = 0;
};

/// A few bytes from one rank to another that are no part of a collective: that it waits, that it has left.
struct Notice {
  int from = 0;
  std::vector<std::byte> bytes;
};

/// The communicator of all ranks of the job.
class Job : public Communicator {
 public:
  /// Sends a notice, without waiting.
  virtual void send_notice(int to, std::span<const std::byte> bytes) = 0;
  /// One that has come; false where there is none.
  [[nodiscard]] virtual bool receive_notice(Notice& notice) = 0;
  /// The last call, when all ranks have left: nothing is under way.
  virtual void finish() = 0;
  /// The name of this machine, as messages have it.
  [[nodiscard]] virtual std::string host() const = 0;
};

#if defined(SITU_MPI)
/// The job that MPI's launcher started. Throws `CollectiveError`.
[[nodiscard]] std::unique_ptr<Job> join_mpi(int* count, char*** arguments);
#endif

}  // namespace internal::world
}  // namespace situ

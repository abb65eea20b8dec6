// SPDX-License-Identifier: Apache-2.0
// The job of one process, for programs not linked with situ::mpi.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include <unistd.h>

#include <situ/world/errors.hpp>
#include <situ/world/transport.hpp>

namespace situ::internal::world {

[[nodiscard]] inline std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string("unknown host");
}

/// The number of processes that a launcher reports to have started, and the variable that contains it: Open MPI, MPICH
/// and its derivatives, Slurm.
struct Launched {
  const char* variable = nullptr;
  int processes = 1;
};
[[nodiscard]] inline Launched launched() {
  for (const char* const name :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_SIZE", "PALS_SIZE"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && std::atoi(value) > 0) return {name, std::atoi(value)};
  }
  // Slurm also sets its variable for a batch script, which is one process; srun sets the number of the step as well.
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  const char* const process = std::getenv("SLURM_PROCID");
  if (tasks != nullptr && process != nullptr && std::atoi(tasks) > 0) return {"SLURM_STEP_NUM_TASKS", std::atoi(tasks)};
  return {};
}

class NothingToWaitFor final : public Transfer {
 public:
  [[nodiscard]] bool over() override { return true; }
};

/// A single rank.
class OneRank final : public Job {
 public:
  /// Throws `CollectiveError` if a launcher has started several processes, each of which would be a job of its own.
  static void require_alone() {
    const Launched found = launched();
    if (found.processes == 1) return;
    throw CollectiveError(
        "World: a launcher started " + std::to_string(found.processes) + " processes (" + found.variable +
        "), but this program is built without MPI, and each would do the same work alone; link it with the "
        "CMake target situ::mpi, or start it without the launcher");
  }

  [[nodiscard]] int rank() const noexcept override { return 0; }
  [[nodiscard]] int size() const noexcept override { return 1; }
  [[nodiscard]] std::unique_ptr<Communicator> split(int) override { return std::make_unique<OneRank>(); }
  [[nodiscard]] std::unique_ptr<Transfer> all_to_all(const std::byte* from, std::span<const Part> sent, std::byte* to,
                                                     std::span<const Part> received) override {
    if (sent[0].bytes > 0) std::memcpy(to + received[0].begin, from + sent[0].begin, sent[0].bytes);
    return std::make_unique<NothingToWaitFor>();
  }
  [[nodiscard]] std::unique_ptr<Transfer> meet(const std::byte*, std::span<const Part>, std::byte*,
                                               std::span<const Part>) override {
    return std::make_unique<NothingToWaitFor>();
  }
  [[nodiscard]] std::unique_ptr<Transfer> all_gather(std::span<const std::byte> from, std::byte* to,
                                                     std::span<const Part> received) override {
    if (!from.empty()) std::memcpy(to + received[0].begin, from.data(), from.size());
    return std::make_unique<NothingToWaitFor>();
  }
  [[nodiscard]] std::unique_ptr<Transfer> broadcast(std::span<std::byte>, int) override {
    return std::make_unique<NothingToWaitFor>();
  }
  [[nodiscard]] std::unique_ptr<Transfer> largest(std::span<std::uint64_t>) override {
    return std::make_unique<NothingToWaitFor>();
  }
  void abort(int code) noexcept override { std::_Exit(code); }
  void send_notice(int, std::span<const std::byte>) override {}
  [[nodiscard]] bool receive_notice(Notice&) override { return false; }
  void finish() override {}
  [[nodiscard]] std::string host() const override { return host_name(); }
};

/// The job that this process belongs to.
[[nodiscard]] inline std::unique_ptr<Job> join(int* count, char*** arguments) {
#if defined(SITU_MPI)
  std::unique_ptr<Job> job = join_mpi(count, arguments);
  if (const Launched found = launched(); job->size() == 1 && found.processes > 1) {
    throw CollectiveError(
        "World: a launcher started " + std::to_string(found.processes) + " processes (" + found.variable +
        "), but the MPI that this program is linked with knows of one; start it by that MPI's own launcher");
  }
  return job;
#else
  static_cast<void>(count);
  static_cast<void>(arguments);
  OneRank::require_alone();
  return std::make_unique<OneRank>();
#endif
}

}  // namespace situ::internal::world

// SPDX-License-Identifier: Apache-2.0
// The shared state of a job's ranks: the progress of each group, the ranks that have left and those that wait; and how
// a rank leaves the job or ends it.
//
// A rank that leaves, or has waited for long, sends a notice to all others. A rank in a slow collective reads the
// notices: a rank that has left without calling this collective never will. A leaving rank stays until all have left,
// since its messages may still be in transit; so no rank is gone while another needs it, and none waits for one that is
// gone.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <situ/world/meeting.hpp>
#include <situ/world/queue.hpp>
#include <situ/world/transport.hpp>
#include <situ/world/wait.hpp>

namespace situ::internal::world {

using GroupNumbers = std::map<std::uint64_t, std::int64_t>;  // the number of collectives called in each group

/// The contents of a notice: the first of its numbers, followed by pairs of a group and a number of collectives.
enum class Word : std::int64_t { waiting, left };

struct JobState {
  explicit JobState(std::unique_ptr<Job> of)
      : job(std::move(of)),
        left(static_cast<std::size_t>(job->size())),
        waiting(static_cast<std::size_t>(job->size())) {}

  std::unique_ptr<Job> job;
  const pid_t process = getpid();  // a child of fork has neither the queue's thread nor the other ranks
  std::atomic<bool> over{false};   // the World is gone; groups may remain

  std::chrono::duration<double> deadline{600};  // as set on rank 0, for all ranks
  /// Up to this many ranks compare their calls with first messages between every pair. More ranks use a separate
  /// transfer, which has fewer steps than those messages.
  int meet_at_once = 32;

  std::mutex mutex;  // of the members below
  GroupNumbers called;
  std::vector<std::optional<GroupNumbers>> left;                               // by rank
  std::vector<std::optional<std::pair<std::uint64_t, std::int64_t>>> waiting;  // the newest, by rank

  [[nodiscard]] std::string name() const {
    return "rank " + std::to_string(job->rank()) + " of " + std::to_string(job->size());
  }

  /// Reads the notices that have arrived.
  void read_notices() {
    Notice notice;
    const std::lock_guard lock(mutex);
    while (job->receive_notice(notice)) {
      std::vector<std::int64_t> numbers(notice.bytes.size() / sizeof(std::int64_t));
      if (numbers.empty()) continue;
      std::memcpy(numbers.data(), notice.bytes.data(), numbers.size() * sizeof(std::int64_t));
      GroupNumbers groups;
      for (std::size_t i = 2; i < numbers.size(); i += 2)
        groups[static_cast<std::uint64_t>(numbers[i - 1])] = numbers[i];
      const auto from = static_cast<std::size_t>(notice.from);
      if (numbers[0] == static_cast<std::int64_t>(Word::left)) left[from] = std::move(groups);
      else if (!groups.empty()) waiting[from] = *groups.begin();
    }
  }

  void tell(Word word, const GroupNumbers& groups, std::span<const int> ranks) {
    std::vector<std::int64_t> numbers{static_cast<std::int64_t>(word)};
    for (const auto& [group, number] : groups) {
      numbers.push_back(static_cast<std::int64_t>(group));
      numbers.push_back(number);
    }
    for (const int rank : ranks) {
      if (rank != job->rank()) job->send_notice(rank, std::as_bytes(std::span(numbers)));
    }
  }

  /// Tells all that this rank leaves, and waits until all do, without a deadline: another may have work to do alone.
  void leave() {
    std::vector<int> all;
    for (int rank = 0; rank < job->size(); ++rank) all.push_back(rank);
    {
      const std::lock_guard lock(mutex);
      tell(Word::left, called, all);
      left[static_cast<std::size_t>(job->rank())] = called;
    }
    BackOff back_off;
    const auto all_left = [this] {
      const std::lock_guard lock(mutex);
      return std::ranges::all_of(left, [](const auto& groups) { return groups.has_value(); });
    };
    for (read_notices(); !all_left(); read_notices()) back_off.pause();
    over = true;
    job->finish();
  }

  /// The collectives of this rank, in the order of their calls.
  Queue queue;

  /// Prints the reason to standard error, and ends the processes of all ranks.
  [[noreturn]] void abort(const std::string& why) noexcept {
    std::fprintf(stderr, "situ: rank %d of %d ends the job: %s\n", job->rank(), job->size(), why.c_str());
    std::fflush(stderr);
    // MPICH's launcher drops output that it has not read when it is told to end the job.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    job->abort(1);
    std::_Exit(1);
  }
};

/// A group of ranks of a job.
struct GroupState {
  std::shared_ptr<JobState> job;
  std::unique_ptr<Communicator> own;  // null for the group of all, whose communicator is the job
  std::vector<int> ranks;             // the numbers in the job, indexed by the number in the group
  std::uint64_t id = 0;               // the same on all its ranks, and unique to the group
  std::int64_t number = 0;            // of collectives called, including those not begun yet
  int splits = 0;
  std::shared_ptr<Frames> frames;             // of the first messages; null before the first, and while in transit
  bool compares = true;                       // the ranks' calls; off in a benchmark that measures what that costs
  std::map<int, std::shared_ptr<void>> nccl;  // of world/nccl.hpp, by the GPU's ordinal; null: not possible
  std::string failure;                        // why there can be no more collectives, or empty

  [[nodiscard]] Communicator& communicator() const noexcept {
    return own != nullptr ? *own : static_cast<Communicator&>(*job->job);
  }
  [[nodiscard]] int rank() const noexcept { return communicator().rank(); }
  [[nodiscard]] int size() const noexcept { return communicator().size(); }
};

/// "ranks 1, 3", with the numbers in the job that launchers use.
[[nodiscard]] inline std::string list_ranks(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  return text;
}

}  // namespace situ::internal::world

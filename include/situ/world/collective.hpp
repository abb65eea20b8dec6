// SPDX-License-Identifier: Apache-2.0
// One collective: its number, the comparison of what its ranks called, and the wait for its transfers.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/config.hpp>
#include <situ/core/movement.hpp>
#include <situ/world/call.hpp>
#include <situ/world/errors.hpp>
#include <situ/world/outcome.hpp>
#include <situ/world/state.hpp>
#include <situ/world/transport.hpp>
#include <situ/world/wait.hpp>

namespace situ::internal::world {

/// So many collectives of each group are compared in builds that are not checked: whoever calls different ones mostly
/// does from the start.
inline constexpr std::int64_t compared_first = 100;

/// What was under way when waiting for it ended by an exception: it may yet be written to. Never destroyed.
inline void abandon(std::shared_ptr<void> with_its_memory) {
  static std::mutex& mutex = *new std::mutex;
  static std::vector<std::shared_ptr<void>>& abandoned = *new std::vector<std::shared_ptr<void>>;
  const std::lock_guard lock(mutex);
  abandoned.push_back(std::move(with_its_memory));
}

/// A collective that this rank is in.
class Collective {
 public:
  Collective(GroupState& group, std::int64_t number, Waiter waiter)
      : group_(group), number_(number), waiter_(waiter) {}

  [[nodiscard]] GroupState& group() const noexcept { return group_; }
  [[nodiscard]] Communicator& communicator() const noexcept { return group_.communicator(); }
  [[nodiscard]] int rank() const noexcept { return group_.rank(); }
  [[nodiscard]] int size() const noexcept { return group_.size(); }

  /// Waits for a transfer, with handles of the memory that it uses. Throws `CollectiveError` where it cannot end,
  /// `CollectiveTimeout` where it has not ended in time.
  template <class... Memory>
  void finish(std::unique_ptr<Transfer> transfer, const Memory&... memory) {
    try {
      wait(*transfer);
    } catch (...) {
      using Kept = std::tuple<std::unique_ptr<Transfer>, Memory...>;
      abandon(std::make_shared<Kept>(std::move(transfer), memory...));
      throw;
    }
  }

  /// Throws `CollectiveMismatch` on all ranks unless all called the same.
  void compare(const Call& call) {
    if (size() == 1) return;
    const std::string text = call.text();
    const std::uint64_t hash = hash_of(std::to_string(number_), hash_of(text));
    // The largest and, by the complements, the smallest of the hashes: the same two numbers on all ranks, so that all
    // throw.
    const auto both = std::make_shared<std::array<std::uint64_t, 2>>(std::array{hash, ~hash});
    finish(communicator().largest(*both), both);
    if ((*both)[0] != ~(*both)[1]) tell_mismatch(text);
  }

 private:
  [[noreturn]] void tell_mismatch(const std::string& text) {
    constexpr std::size_t room = 512;
    const auto ranks = static_cast<std::size_t>(size());
    const auto texts = std::make_shared<std::vector<char>>((ranks + 1) * room);
    char* const mine = texts->data() + ranks * room;
    std::copy_n(text.data(), std::min(text.size(), room - 1), mine);
    std::vector<Part> parts;
    for (std::size_t rank = 0; rank < ranks; ++rank) parts.push_back({rank * room, room});
    finish(communicator().all_gather(std::as_bytes(std::span(mine, room)), reinterpret_cast<std::byte*>(texts->data()),
                                     parts),
           texts);
    std::string message =
        "the ranks of a group called different collectives, number " + std::to_string(number_) + " of each:";
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      message += "\n  rank " + std::to_string(group_.ranks[rank]) + ": " + (texts->data() + rank * room);
    }
    throw CollectiveMismatch(message);
  }

  void wait(Transfer& transfer) {
    const movement::HostWait waits;
    JobState& job = *group_.job;
    const Clock::time_point begin = Clock::now();
    BackOff back_off(waiter_);
    bool told = false;
    while (!transfer.over()) {
      back_off.pause();
      if (!back_off.slow()) continue;
      const std::chrono::duration<double> waited = Clock::now() - begin;
      if (!told && waited > job.deadline / 2) {
        told = true;
        job.tell(Word::waiting, {{group_.id, number_}}, group_.ranks);
      }
      job.read_notices();  // behind what this rank tells: of two that give up at once, one knows of the other
      const std::vector<int> gone = others([&](std::size_t rank) {
        if (!job.left[rank]) return false;
        const auto called = job.left[rank]->find(group_.id);
        return called == job.left[rank]->end() || called->second < number_;
      });
      if (!gone.empty()) {
        throw CollectiveError("cannot end, for " + list_ranks(gone) +
                              " left before it; all ranks of a group must call the same collectives");
      }
      if (waited > job.deadline) throw CollectiveTimeout(timeout_text());
    }
  }

  /// The other ranks of the group for which `holds`, by their numbers in the job.
  template <class Holds>
  [[nodiscard]] std::vector<int> others(const Holds& holds) const {
    const std::lock_guard lock(group_.job->mutex);
    std::vector<int> found;
    for (const int rank : group_.ranks) {
      if (rank != group_.job->job->rank() && holds(static_cast<std::size_t>(rank))) found.push_back(rank);
    }
    return found;
  }

  [[nodiscard]] std::string timeout_text() const {
    const JobState& job = *group_.job;
    const std::vector<int> silent = others([&](std::size_t rank) {
      const auto& waiting = job.waiting[rank];
      return !waiting || waiting->first != group_.id || waiting->second < number_;
    });
    std::array<char, 32> seconds{};
    std::snprintf(seconds.data(), seconds.size(), "%g", job.deadline.count());
    return std::string("not over after ") + seconds.data() + " s; " +
           (silent.empty() ? "all ranks of the group wait in it" : "not known to wait in it: " + list_ranks(silent)) +
           "; World::set_deadline, or SITU_COLLECTIVE_TIMEOUT in seconds, gives it more time";
  }

  GroupState& group_;
  std::int64_t number_;
  Waiter waiter_;
};

/// Whether this thread is within `World::only`.
inline bool& works_alone() {
  thread_local bool alone = false;
  return alone;
}

/// The number of the collective that `call` is to be.
[[nodiscard]] inline std::int64_t next_number(GroupState& group, const Call& call) {
  const auto refuse = [&](const std::string& why) { throw CollectiveError(call.text() + ": " + why); };
  if (group.job->over) refuse("the World of this group is gone");
  if (getpid() != group.job->process) {
    refuse("called in a child of fork, which is no rank: the process that made the World calls collectives");
  }
  if (works_alone()) refuse("called within World::only, by one rank, where all must call it");
  const std::lock_guard lock(group.job->mutex);
  if (!group.failure.empty()) refuse("a collective of this group failed before: " + group.failure);
  return group.job->called[group.id] = ++group.number;
}

/// The collective `number`, which `call` describes: `body(collective)`.
template <class Body>
auto perform(GroupState& group, std::int64_t number, const Call& call, const Body& body,
             Waiter waiter = Waiter::alone) {
  try {
    Collective collective(group, number, waiter);
    if (checked_build || group.job->always_compared || number <= compared_first) collective.compare(call);
    return body(collective);
  } catch (Error& error) {
    error.prefix(group.job->name() + ", collective " + std::to_string(number) + " of " + std::to_string(group.size()) +
                 " ranks, " + call.text() + ": ");
    // After a mismatch all are at the same place.
    if (dynamic_cast<const CollectiveMismatch*>(&error) == nullptr) {
      const std::lock_guard lock(group.job->mutex);
      group.failure = error.what();
    }
    throw;
  }
}

/// Tells a ledger of a collective.
class [[nodiscard]] RankCrossing : public movement::Crossing {
 public:
  explicit RankCrossing(const Call& call, bool host_waits = true)
      : movement::Crossing(
            call.operation.c_str(), [] { return std::string("this rank"); },
            [] { return std::string("other ranks"); }, call.bytes(), host_waits, call.site) {}
};

/// A collective, when all that was called before is over.
template <class Body>
auto run(GroupState& group, const Call& call, const Body& body) {
  const RankCrossing crossing(call);
  const std::int64_t number = next_number(group, call);
  using Result = decltype(body(std::declval<Collective&>()));
  if constexpr (std::is_void_v<Result>) {
    group.job->queue.run([&] { perform(group, number, call, body); });
  } else {
    std::optional<Result> result;
    group.job->queue.run([&] { result.emplace(perform(group, number, call, body)); });
    return std::move(*result);
  }
}

/// A collective in the queue's thread, beside what this one does; `body` has handles of all that it uses.
template <class Body>
auto run_async(const std::shared_ptr<GroupState>& group, Call call, Body body) {
  using Result = decltype(body(std::declval<Collective&>()));
  // Told here, where a budget of this thread holds; who waits for the result tells of the wait.
  const RankCrossing crossing(call, /*host_waits=*/false);
  const std::int64_t number = next_number(*group, call);
  const auto outcome = std::make_shared<Outcome<Result>>();
  group->job->queue.post([group, number, call = std::move(call), body = std::move(body), outcome,
                          place = crossing.place()] {
    outcome->keep([&] {
      try {
        const movement::Beside beside(place);
        return perform(*group, number, call, body, Waiter::beside);
      } catch (const std::exception& error) {
        group->job->queue.keep_failure(error.what());
        throw;
      }
    });
  });
  return outcome;
}

}  // namespace situ::internal::world

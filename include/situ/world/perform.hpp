// SPDX-License-Identifier: Apache-2.0
// Runs a collective: its number, its turn in this rank's queue, and its description in errors.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/movement.hpp>
#include <situ/world/call.hpp>
#include <situ/world/collective.hpp>
#include <situ/world/errors.hpp>
#include <situ/world/outcome.hpp>
#include <situ/world/state.hpp>
#include <situ/world/wait.hpp>

namespace situ::internal::world {

/// Whether this thread is inside `World::only`.
inline bool& works_alone() {
  thread_local bool alone = false;
  return alone;
}

/// The number of the next collective, described by `call`.
[[nodiscard]] inline std::int64_t next_number(GroupState& group, const Call& call) {
  const auto refuse = [&](const std::string& why) { throw CollectiveError(call.text() + ": " + why); };
  if (group.job->over) refuse("the World of this group is gone");
  if (getpid() != group.job->process) {
    refuse("called in a child of fork, which is not a rank: the process that made the World calls collectives");
  }
  if (works_alone()) refuse("called within World::only, by one rank, where all must call it");
  const std::lock_guard lock(group.job->mutex);
  if (!group.failure.empty()) refuse("a collective of this group failed before: " + group.failure);
  return group.job->called[group.id] = ++group.number;
}

/// Runs collective `number`, which `call` describes: `body(collective)`.
template <class Body>
auto perform(GroupState& group, std::int64_t number, const Call& call, const Body& body,
             Waiter waiter = Waiter::alone) {
  try {
    Collective collective(group, number, call, waiter);
    using Result = decltype(body(collective));
    // If nothing was sent, compare at the end: perhaps only this rank has nothing to send.
    if constexpr (std::is_void_v<Result>) {
      body(collective);
      collective.compare();
    } else {
      Result result = body(collective);
      collective.compare();
      return result;
    }
  } catch (Error& error) {
    error.prefix(group.job->name() + ", collective " + std::to_string(number) + " of " + std::to_string(group.size()) +
                 " ranks, " + call.text() + ": ");
    // After a mismatch all ranks are still in step.
    if (dynamic_cast<const CollectiveMismatch*>(&error) == nullptr) {
      const std::lock_guard lock(group.job->mutex);
      group.failure = error.what();
    }
    throw;
  }
}

/// Reports a collective to a ledger.
class [[nodiscard]] RankCrossing : public movement::Crossing {
 public:
  explicit RankCrossing(const Call& call, bool host_waits = true)
      : movement::Crossing(
            call.operation.c_str(), [] { return std::string("this rank"); }, [] { return std::string("other ranks"); },
            call.bytes(), host_waits, call.site) {}
};

/// Runs a collective in this thread after all earlier ones.
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

/// Runs a collective in the queue's thread, while this one continues; `body` holds handles of everything it uses.
template <class Body>
auto run_async(const std::shared_ptr<GroupState>& group, Call call, Body body) {
  using Result = decltype(body(std::declval<Collective&>()));
  // Reported here, where this thread's budget applies; the thread that waits for the result reports the wait.
  const RankCrossing crossing(call, /*host_waits=*/false);
  const std::int64_t number = next_number(*group, call);
  const auto outcome = std::make_shared<Outcome<Result>>();
  group->job->queue.post(
      [group, number, call = std::move(call), body = std::move(body), outcome, place = crossing.place()] {
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

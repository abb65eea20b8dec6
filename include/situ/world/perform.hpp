// SPDX-License-Identifier: Apache-2.0
// How a collective comes about: its number, its turn in the queue of this rank, and what an error says of it.
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
    Collective collective(group, number, call, waiter);
    using Result = decltype(body(collective));
    // What has sent nothing compares at its end: there may be nothing to send on this rank alone.
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

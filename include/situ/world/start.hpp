// SPDX-License-Identifier: Apache-2.0
// Starts a job: the settings that all ranks must share, and the group of all ranks.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/world/call.hpp>
#include <situ/world/collective.hpp>
#include <situ/world/perform.hpp>
#include <situ/world/state.hpp>
#include <situ/world/transport.hpp>

namespace situ::internal::world {

/// SITU_COLLECTIVE_TIMEOUT in seconds; 600 if it is not set.
[[nodiscard]] inline double deadline_of_environment() {
  const char* const text = std::getenv("SITU_COLLECTIVE_TIMEOUT");
  if (text == nullptr || *text == '\0') return 600;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (*end != '\0' || !(seconds > 0)) {
    throw ValueError(std::string("World: SITU_COLLECTIVE_TIMEOUT=") + text +
                     "; it must be a number of seconds above 0");
  }
  return seconds;
}

/// A group of all ranks of the job, with the settings of rank 0 on all.
[[nodiscard]] inline std::shared_ptr<GroupState> start(std::unique_ptr<Job> of) {
  auto group = std::make_shared<GroupState>();
  group->job = std::make_shared<JobState>(std::move(of));
  JobState& job = *group->job;
  group->id = 1;
  for (int rank = 0; rank < job.job->size(); ++rank) group->ranks.push_back(rank);
  const auto seconds = std::make_shared<double>(deadline_of_environment());
  job.deadline = std::chrono::duration<double>(*seconds);  // until it has arrived, that of this rank
  const Call call("World", {}, {}, Shape{});
  const std::int64_t number = next_number(*group, call);
  perform(*group, number, call, [&](Collective& collective) {
    collective.broadcast(std::as_writable_bytes(std::span(seconds.get(), 1)), 0, seconds);
  });
  job.deadline = std::chrono::duration<double>(*seconds);
  return group;
}

/// The number of ranks before this one on its machine, and of all ranks on it.
struct OnThisMachine {
  int before = 0;
  int all = 1;
};
[[nodiscard]] inline OnThisMachine on_this_machine(GroupState& group) {
  const std::uint64_t own = hash_of(group.job->job->host());
  const auto hosts = std::make_shared<std::vector<std::uint64_t>>(static_cast<std::size_t>(group.size()) + 1, own);
  std::vector<Part> parts;
  for (int rank = 0; rank < group.size(); ++rank)
    parts.push_back({static_cast<std::size_t>(rank) * sizeof(own), sizeof(own)});
  run(group, Call("World", {}, {}, Shape{}), [&](Collective& collective) {
    collective.all_gather(std::as_bytes(std::span(&hosts->back(), 1)), reinterpret_cast<std::byte*>(hosts->data()),
                          parts, hosts);
  });
  const auto begin = hosts->begin();
  return {static_cast<int>(std::count(begin, begin + group.rank(), own)),
          static_cast<int>(std::count(begin, begin + group.size(), own))};
}

/// The next collective is number 1: the earlier ones were not the program's.
inline void count_from_here(GroupState& group) {
  const std::lock_guard lock(group.job->mutex);
  group.number = group.job->called[group.id] = 0;
}

/// The part of a group with the same color, in the order of its ranks.
[[nodiscard]] inline std::shared_ptr<GroupState> split(GroupState& group, int color, CallSite site) {
  return run(group, Call("split", {}, {}, Shape{}, site), [&](Collective& collective) {
    // The communicator's own split waits without a deadline: first make sure that all ranks are here, and exchange the
    // colors.
    const auto ranks = static_cast<std::size_t>(collective.size());
    const auto colors = std::make_shared<std::vector<int>>(ranks + 1, color);
    std::vector<Part> parts;
    for (std::size_t rank = 0; rank < ranks; ++rank) parts.push_back({rank * sizeof(int), sizeof(int)});
    collective.all_gather(std::as_bytes(std::span(&colors->back(), 1)), reinterpret_cast<std::byte*>(colors->data()),
                          parts, colors);
    auto part = std::make_shared<GroupState>();
    part->job = group.job;
    part->own = collective.communicator().split(color);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if ((*colors)[rank] == color) part->ranks.push_back(group.ranks[rank]);
    }
    part->id = hash_of(std::to_string(++group.splits) + ":" + std::to_string(color), group.id);
    return part;
  });
}

}  // namespace situ::internal::world

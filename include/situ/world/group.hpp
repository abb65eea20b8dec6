// SPDX-License-Identifier: Apache-2.0
// `Group`: ranks that call collectives together, with a device of one type each.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/device/device.hpp>
#include <situ/world/call.hpp>
#include <situ/world/collective.hpp>
#include <situ/world/rank.hpp>
#include <situ/world/start.hpp>
#include <situ/world/state.hpp>

namespace situ {

namespace internal::world {
inline void barrier(GroupState& group, CallSite site) {
  run(group, Call("barrier", {}, {}, Shape{}, site), [](Collective& collective) {
    const auto nothing = std::make_shared<std::uint64_t>(0);
    collective.finish(collective.communicator().largest(std::span(nothing.get(), 1)), nothing);
  });
}
}  // namespace internal::world

/// Ranks that call collectives together, each on a device of type `D`: `world.on(gpu<0>)`. All of them call the same
/// collectives in the same order. A handle: copies are the same group.
template <Device D>
class Group {
 public:
  using device_type = D;

  /// For the library.
  explicit Group(std::shared_ptr<internal::world::GroupState> state) noexcept : state_(std::move(state)) {}

  /// The number of this process in the group, and how many there are.
  [[nodiscard]] Rank rank() const noexcept { return Rank(state_->rank()); }
  [[nodiscard]] int size() const noexcept { return state_->size(); }
  [[nodiscard]] static constexpr D device() noexcept { return {}; }

  /// Waits until all ranks of the group are here.
  void barrier(CallSite site = CallSite::here()) const { internal::world::barrier(*state_, site); }

  /// The ranks of this group that name the same color as this one, numbered in the same order. Two splits make a mesh: of
  /// 6 ranks, three beside each other share a model, and two that have the same part of it share the data:
  ///
  ///     Group tensor = group.split(group.rank().number / 3);   // {0 1 2} {3 4 5}
  ///     Group data = group.split(group.rank().number % 3);     // {0 3} {1 4} {2 5}
  [[nodiscard]] Group split(int color, CallSite site = CallSite::here()) const {
    if (color < 0) throw ValueError("Group::split: the color is " + std::to_string(color) + "; it must not be below 0");
    return Group(internal::world::split(*state_, color, site));
  }

  /// Whether two are the same group.
  friend bool operator==(const Group& a, const Group& b) noexcept { return a.state_ == b.state_; }

  /// For the library.
  [[nodiscard]] const std::shared_ptr<internal::world::GroupState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<internal::world::GroupState> state_;
};

}  // namespace situ

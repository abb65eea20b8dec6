// SPDX-License-Identifier: Apache-2.0
// `MovementBudget`: limits the bytes that cross between devices, and how often the host waits, in a scope.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/error.hpp>
#include <situ/core/movement.hpp>
#include <situ/ledger/entry.hpp>
#include <situ/ledger/recorder.hpp>

namespace situ {

/// The limits of a `MovementBudget`; a field that is not set is unlimited.
struct MovementLimits {
  /// Bytes that cross between devices.
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  /// Calls that make the host wait for a GPU: `to` and `copy` to the host, `print`, `wait`, `synchronize`.
  std::int64_t waits = std::numeric_limits<std::int64_t>::max();
};

/// A call would exceed a `MovementBudget`; nothing was moved.
class MovementBudgetExceeded : public Error {
 public:
  MovementBudgetExceeded(const std::string& message, CallSite site, std::size_t bytes, MovementLimits limits)
      : Error(message), site_(site), bytes_(bytes), limits_(limits) {}

  /// The call; without a file if the call does not know its place.
  [[nodiscard]] CallSite site() const noexcept { return site_; }
  /// How many bytes it would have moved.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// The budget's initial limits.
  [[nodiscard]] MovementLimits limits() const noexcept { return limits_; }

 private:
  CallSite site_;
  std::size_t bytes_;
  MovementLimits limits_;
};

/// Limits what the calling thread moves while the object lives: the call that would exceed it throws
/// `MovementBudgetExceeded` before it does anything. Budgets nest, and each applies. A budget covers one thread: an
/// error in a worker that loads data would appear where no budget was set. Destroy it in the thread that made it.
///
///     MovementBudget budget({.bytes = 0});
///     for (int step = 0; step < 100; ++step) train(step);     // nothing between devices in the hot loop
class [[nodiscard]] MovementBudget final : private internal::ledger::Budget {
 public:
  /// Throws `ValueError` for a negative limit.
  [[nodiscard]] explicit MovementBudget(MovementLimits limits, CallSite site = CallSite::here())
      : limits_(checked(limits)), left_(limits), site_(site) {
    internal::ledger::Recorder::instance().enter(*this);
  }
  MovementBudget(const MovementBudget&) = delete;
  MovementBudget& operator=(const MovementBudget&) = delete;
  ~MovementBudget() { internal::ledger::Recorder::instance().leave(*this); }

  /// What is left of the budget.
  [[nodiscard]] MovementLimits left() const noexcept { return left_; }

 private:
  using Movement = internal::movement::Movement;

  [[nodiscard]] static MovementLimits checked(MovementLimits limits) {
    if (limits.bytes < 0 || limits.waits < 0) {
      throw ValueError("MovementBudget: " + std::to_string(limits.bytes) + " bytes and " +
                       std::to_string(limits.waits) + " waits; a limit is 0 or more, and one left out is unlimited");
    }
    return limits;
  }

  [[nodiscard]] static MovementLimits cost_of(const Movement& movement) noexcept {
    const bool crosses = movement.from != movement.to;
    return {.bytes = crosses ? static_cast<std::int64_t>(movement.bytes) : 0, .waits = movement.host_waits ? 1 : 0};
  }

  void require(const Movement& movement) const override {
    const MovementLimits cost = cost_of(movement);
    if (cost.bytes <= left_.bytes && cost.waits <= left_.waits) return;
    const MovementPlace place = internal::ledger::place_of(movement);
    const bool too_many = cost.bytes > left_.bytes;
    throw MovementBudgetExceeded(place.operation + " (" + place.way() + ") at " + place.where() + " would " +
                                     (too_many ? "move " + std::to_string(cost.bytes) + " bytes; of the " +
                                                     std::to_string(limits_.bytes) + " that the MovementBudget of "
                                               : "make the host wait; of the " + std::to_string(limits_.waits) +
                                                     " waits that the MovementBudget of ") +
                                     internal::ledger::place_of(site_).where() + " allows, " +
                                     std::to_string(too_many ? left_.bytes : left_.waits) +
                                     " are left; nothing was moved: move it before the budget begins, or allow it",
                                 place.file.empty() ? CallSite{} : movement.site, movement.bytes, limits_);
  }
  void charge(const Movement& movement) noexcept override { add(movement, -1); }
  void refund(const Movement& movement) noexcept override { add(movement, 1); }

  void add(const Movement& movement, std::int64_t times) noexcept {
    const MovementLimits cost = cost_of(movement);
    left_.bytes += times * cost.bytes;
    left_.waits += times * cost.waits;
  }

  MovementLimits limits_;
  MovementLimits left_;
  CallSite site_;
};

}  // namespace situ

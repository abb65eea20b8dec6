// SPDX-License-Identifier: Apache-2.0
// `MovementEntry`: the ledger's record of one line of a program.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include <situ/core/call_site.hpp>
#include <situ/core/movement.hpp>

namespace situ {

/// Which call, where, from which device to which. Both are the same device if the call does not cross devices: a wait,
/// or the copy that a write to shared storage makes.
struct MovementPlace {
  std::string file{};  // as passed to the compiler; empty if the call does not know its place
  int line{};
  std::string scope{};      // of the `NamedScope`s around it, "step/forward"
  std::string operation{};  // "to", "copy", "print", "wait", "detaching copy"
  std::string from{};
  std::string to{};

  friend auto operator<=>(const MovementPlace&, const MovementPlace&) = default;

  /// "train.cpp:41"; "in step/forward" for a call that does not know its place; "somewhere" if there is neither.
  [[nodiscard]] std::string where() const {
    if (!file.empty()) return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(line);
    return scope.empty() ? "somewhere" : "in " + scope;
  }
  /// "cuda:0 -> cpu", or the device alone.
  [[nodiscard]] std::string way() const { return from == to ? from : from + " -> " + to; }
};

/// The totals of the calls at one place.
struct MovementEntry : MovementPlace {
  std::int64_t count = 0;  // calls that did not throw
  std::size_t bytes = 0;
  std::chrono::nanoseconds on_device{0};  // from the beginning to the end of its copies, by the device's clock
  std::chrono::nanoseconds waited{0};     // the host, within the call
};

namespace internal::ledger {

[[nodiscard]] inline MovementPlace place_of(CallSite site) {
  site = in_program(site);
  return {.file = site.file, .line = site.line};
}
[[nodiscard]] inline MovementPlace place_of(const movement::Movement& movement) {
  MovementPlace place = place_of(movement.site);
  place.scope = NamedScope::path();
  place.operation = movement.operation;
  place.from = movement.from();
  place.to = movement.to();
  return place;
}

}  // namespace internal::ledger

}  // namespace situ

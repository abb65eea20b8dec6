// SPDX-License-Identifier: Apache-2.0
// `Rank`: the number of a process.
#pragma once

#include <compare>
#include <ostream>

namespace situ {

/// The number of a process in a world or a group, from 0. Does not convert from or to an integer.
struct Rank {
  int number = 0;

  constexpr Rank() = default;
  constexpr explicit Rank(int of_process) noexcept : number(of_process) {}

  friend constexpr auto operator<=>(const Rank&, const Rank&) = default;
  /// Writes "rank 2".
  friend std::ostream& operator<<(std::ostream& stream, Rank rank) { return stream << "rank " << rank.number; }
};

}  // namespace situ

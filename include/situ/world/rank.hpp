// SPDX-License-Identifier: Apache-2.0
// `Rank`: the number of a process.
#pragma once

#include <compare>
#include <concepts>
#include <ostream>

namespace situ {

/// `world.rank() == 0`: "a rank is not an integer: fix: write Rank in front", `Rank{0}`.
struct a_rank_is_not_an_integer {
  struct fix_write_Rank_in_front {
    template <std::integral Number>
    fix_write_Rank_in_front(Number) = delete;
  };
};

/// The number of a process in a world or a group, from 0. Does not convert from or to an integer.
struct Rank {
  int number = 0;

  constexpr Rank() = default;
  constexpr explicit Rank(int of_process) noexcept : number(of_process) {}

  friend constexpr auto operator<=>(const Rank&, const Rank&) = default;
  friend constexpr bool operator==(const Rank&, const Rank&) = default;
  friend bool operator==(const Rank&, a_rank_is_not_an_integer::fix_write_Rank_in_front);
  friend bool operator!=(const Rank&, a_rank_is_not_an_integer::fix_write_Rank_in_front);
  /// Writes "rank 2".
  friend std::ostream& operator<<(std::ostream& stream, Rank rank) { return stream << "rank " << rank.number; }
};

}  // namespace situ

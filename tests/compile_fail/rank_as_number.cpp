// SPDX-License-Identifier: Apache-2.0
// The number of a rank, as in MPI.
// first: (?=.*a_rank_is_not_an_integer)(?=.*fix_write_Rank_in_front)
// within: (?s)(error[^\n]*a_rank_is_not_an_integer.*){3}
// lines: 40
#include <situ/world.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(World& world) {
  if (world.rank() == Rank{0}) print("first");
  if (world.rank() != Rank{0}) print("other");
  world.only(Rank{0}, [] { print("first"); });
}
#else
void mistake(World& world) {
  if (world.rank() == 0) print("first");
  if (world.rank() != 0) print("other");
  world.only(0, [] { print("first"); });
}
#endif

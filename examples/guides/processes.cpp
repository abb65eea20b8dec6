// SPDX-License-Identifier: Apache-2.0
// A sum over all ranks. Without MPI there is one.
// [program]
#include <situ/situ.hpp>
#include <situ/world.hpp>
using namespace situ;

int main(int argc, char** argv) {
  World world(argc, argv);
  const Group group = world.on(cpu);
  const Spread rows = group.shard<0>(arange<float>(12));  // each rank has its piece
  const Spread total = all_reduce(sum<0>(rows));          // without all_reduce it would be a Partial<>
  world.only(Rank{0}, [&] { print(world.size(), "ranks, sum", local(total)); });
  return local(total).item() == 66.f ? 0 : 1;
}
// [program-end]

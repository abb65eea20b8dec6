// SPDX-License-Identifier: Apache-2.0
// The cost of collectives over ranks beside MPI's own, whose sums are added in an order of theirs. Bytes are those of the
// whole value. "uncompared" is all_reduce without that what the ranks call is compared.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <situ/world.hpp>

#include "cases.hpp"
#include "timing.hpp"

using namespace situ;

int collectives(int argc, char** argv) {
  World world(argc, argv);
  const Group group = world.on(cpu);
  if (world.rank() == Rank{0}) {
    std::printf("%d rank%s, microseconds\n%10s %31s %20s %20s %20s\n", world.size(), world.size() == 1 ? "" : "s", "",
                "all_reduce", "reduce_scatter", "all_gather", "replicate");
    std::printf("%10s %10s %9s %10s %10s %9s %10s %9s %10s %9s\n", "bytes", "MPI", "situ", "uncompared", "MPI", "situ",
                "MPI", "situ", "MPI", "situ");
  }
  for (std::int64_t bytes = 1024; bytes <= std::int64_t{64} << 20; bytes *= 4) {
    const int repetitions = bytes < (1 << 20) ? 80 : 15;
    const std::int64_t count = bytes / 4;
    const std::int64_t share = count / world.size();
    const Tensor<float> x = full<float>(Shape{count}, world.rank().number);
    std::vector<float> to(static_cast<std::size_t>(count));
    const Spread term = group.as<Partial<>>(x);
    const Spread rows = group.as<Sharded<0>>(full<float>(Shape{share}, world.rank().number));
    const Group uncompared = group.split(0);
    uncompared.mesh().group()->compares = false;
    const Spread uncompared_term = uncompared.as<Partial<>>(x);
    const std::vector<double> took = timing::medians_by_turns(
        repetitions,
        [&] { MPI_Allreduce(x.data(), to.data(), static_cast<int>(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); },
        [&] { static_cast<void>(all_reduce(term)); }, [&] { static_cast<void>(all_reduce(uncompared_term)); },
        [&] {
          MPI_Reduce_scatter_block(x.data(), to.data(), static_cast<int>(share), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        },
        [&] { static_cast<void>(reduce_scatter<0>(term)); },
        [&] {
          MPI_Allgather(x.data(), static_cast<int>(share), MPI_FLOAT, to.data(), static_cast<int>(share), MPI_FLOAT,
                        MPI_COMM_WORLD);
        },
        [&] { static_cast<void>(all_gather(rows)); },
        [&] { MPI_Bcast(to.data(), static_cast<int>(count), MPI_FLOAT, 0, MPI_COMM_WORLD); },
        [&] { static_cast<void>(group.replicate(x)); });
    if (world.rank() != Rank{0}) continue;
    std::printf("%10lld", static_cast<long long>(bytes));
    for (std::size_t i = 0; i < took.size(); ++i)
      std::printf(i == 0 || i == 2 || (i > 2 && i % 2 == 1) ? " %10.1f" : " %9.1f", took[i]);
    std::printf("\n");
    std::fflush(stdout);
  }
  return 0;
}

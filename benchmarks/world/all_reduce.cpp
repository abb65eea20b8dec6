// SPDX-License-Identifier: Apache-2.0
// The cost of all_reduce over ranks beside a bare MPI_Allreduce, which adds in an order of its own:
//
//     mpirun -n 4 world
//
// Microseconds a call, the median of many; "compared" with what the ranks call compared before, as the first 100 are and all in
// checked builds. With one rank: what a World costs where it is not needed.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <situ/world.hpp>

namespace {

using namespace situ;

template <class F>
double median_microseconds(int repetitions, const F& f) {
  std::vector<double> times;
  for (int i = 0; i < repetitions + 2; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto begin = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    if (i >= 2) times.push_back(took.count());
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  World world(argc, argv);
  const Group group = world.on(cpu);
  if (world.rank() == Rank{0}) std::printf("%10s %12s %12s %12s\n", "bytes", "MPI", "all_reduce", "compared");
  for (std::int64_t bytes = 1024; bytes <= std::int64_t{64} << 20; bytes *= 4) {
    const int repetitions = bytes < (1 << 20) ? 200 : 20;
    const std::int64_t count = bytes / 4;
    const Tensor<float> x = full<float>(Shape{count}, world.rank().number);
    std::vector<float> to(static_cast<std::size_t>(count));
    const double raw = median_microseconds(repetitions, [&] {
      MPI_Allreduce(x.data(), to.data(), static_cast<int>(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    });
    // A group of its own, whose first collectives are compared, and the others not.
    const Group fresh = group.split(0);
    const Spread term = fresh.as<Partial<>>(x);
    const double compared = median_microseconds(std::min(repetitions, 90), [&] { static_cast<void>(all_reduce(term)); });
    for (int i = 0; i < 100; ++i) fresh.barrier();
    const double ours = median_microseconds(repetitions, [&] { static_cast<void>(all_reduce(term)); });
    if (world.rank() == Rank{0}) std::printf("%10lld %12.1f %12.1f %12.1f\n", static_cast<long long>(bytes), raw, ours, compared);
  }
}

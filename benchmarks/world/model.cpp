// SPDX-License-Identifier: Apache-2.0
// Collectives of many ranks on paper: a message of n bytes takes alpha + n beta, an addition gamma a byte of what is added; a
// transfer of ours own, for what MPI does not do.
// The constants are measured here, between ranks 0 and 1; docs/decisions/world-cost.md has the formulas.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <situ/world.hpp>

#include "cases.hpp"
#include "timing.hpp"

using namespace situ;

namespace {

struct Constants {
  double alpha;  // us a message
  double beta;   // us a byte
  double gamma;  // us a byte of one term
  double own;    // us a transfer of ours
};

/// A message each way at once, as the ranks of a collective send.
double message(int rank, std::int64_t bytes, int repetitions) {
  const std::vector<char> from(static_cast<std::size_t>(bytes));
  std::vector<char> to(from.size());
  const auto count = static_cast<int>(bytes);
  constexpr int turns = 10;
  return timing::medians_by_turns(repetitions,
                                  [&] {
                                    for (int i = 0; i < turns && rank < 2; ++i) {
                                      MPI_Sendrecv(from.data(), count, MPI_CHAR, 1 - rank, 0, to.data(), count,
                                                   MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                                    }
                                  })[0] /
         turns;
}

Constants measured(const Group<Cpu>& group) {
  const int rank = group.rank().number;
  constexpr std::int64_t large = std::int64_t{4} << 20;
  const double alpha = message(rank, 8, 200);
  const double beta = (message(rank, large, 20) - alpha) / static_cast<double>(large);
  const Tensor<float> a = ones<float>({large / 4});
  const Tensor<float> b = ones<float>({large / 4});
  const double gamma =
      timing::medians_by_turns(50, [&] { static_cast<void>(eval(a + b)); })[0] / static_cast<double>(large);
  const Group pair = group.split(rank / 2);
  const Spread number = pair.as<Partial<>>(ones<float>({2}));
  const double one = timing::medians_by_turns(200, [&] {
    if (rank < 2) static_cast<void>(all_reduce(number));
  })[0];
  return {alpha, beta, gamma, std::max(0., one - alpha)};
}

/// Microseconds of an all_reduce of n bytes over p ranks.
double ours(const Constants& c, double p, double n) {
  if (n <= 8192) return c.own + (p - 1) * (c.alpha + n * (c.beta + c.gamma));
  return 2 * c.own + 2 * (p - 1) * c.alpha + (p - 1) / p * n * (2 * c.beta + c.gamma);
}
double recursive_doubling(const Constants& c, double p, double n) {
  return std::log2(p) * (c.alpha + n * (c.beta + c.gamma));
}
/// The same sums as ours, were shares passed on in log(p) steps (Bruck) where that is less: not written.
double in_few_steps(const Constants& c, double p, double n) {
  const double passed_on = 2 * c.own + 2 * std::log2(p) * c.alpha + (std::log2(p) / 2 + (p - 1) / p) * n * c.beta +
                           (p - 1) / p * n * c.gamma;
  return std::min(ours(c, p, n), passed_on);
}
double halving_doubling(const Constants& c, double p, double n) {
  return 2 * std::log2(p) * c.alpha + (p - 1) / p * n * (2 * c.beta + c.gamma);
}
double ring(const Constants& c, double p, double n) {
  return 2 * (p - 1) * c.alpha + (p - 1) / p * n * (2 * c.beta + c.gamma);
}

}  // namespace

int model(int argc, char** argv) {
  World world(argc, argv);
  if (world.size() < 2) {
    std::fprintf(stderr, "world model: needs two ranks\n");
    return 2;
  }
  const Constants c = measured(world.on(cpu));
  if (world.rank() != Rank{0}) return 0;
  std::printf("alpha %.2f us, beta %.1f us/MiB (%.1f GB/s), gamma %.1f us/MiB, own %.1f us\n", c.alpha,
              c.beta * 1048576, 1e-3 / c.beta, c.gamma * 1048576, c.own);
  std::printf("microseconds on paper\n%10s %6s %12s %12s %20s %18s %12s\n", "bytes", "ranks", "situ", "ring",
              "recursive doubling", "halving, doubling", "in few steps");
  for (const double n : {1024., 16384., 262144., 4194304., 67108864.}) {
    for (const double p : {2., 8., 64., 1024.}) {
      std::printf("%10.0f %6.0f %12.0f %12.0f %20.0f %18.0f %12.0f\n", n, p, ours(c, p, n), ring(c, p, n),
                  recursive_doubling(c, p, n), halving_doubling(c, p, n), in_few_steps(c, p, n));
    }
  }
  return 0;
}

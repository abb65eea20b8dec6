// SPDX-License-Identifier: Apache-2.0
// PageRank: how important the pages of a small web are, by the links between them, without a matrix: a step takes what
// each link's page has to give and adds it to the page it leads to. Prints the ranks, and checks that a step by plain
// loops does not change them.
#include <cmath>
#include <cstdio>
#include <vector>

#include <situ/situ.hpp>

using namespace situ;

constexpr double damping = 0.85;

/// The ranks of `pages` pages, of which `from[i]` links to `to[i]`.
auto page_rank(const TensorLike auto& from, const TensorLike auto& to, int pages, int& steps) {
  const auto device = from.device();
  const Tensor none = zeros<double>({pages}, device);
  const Tensor links = scatter_add(none, 0, from, ones<double>({from.size()}, device));  // away from each page
  Tensor rank = full({pages}, 1. / pages, device);
  for (double change = 1; change > 1e-12; ++steps) {
    const Tensor given = where(links > 0, rank / maximum(links, 1), 0);
    const Tensor lost = sum(where(links > 0, 0, rank));  // by pages without links: to all alike
    const Tensor found = scatter_add(none, 0, to, take(given, from, 0));
    const Tensor next = damping * (found + lost / pages) + (1 - damping) / pages;
    change = max(abs(next - rank)).to(cpu).item();
    rank = next;
  }
  return rank;
}

template <Device D>
bool run(D device) {
  // Page 6 has no links, and none leads to it.
  const std::vector<std::int64_t> from = {0, 0, 1, 2, 2, 3, 4, 4, 5}, to = {1, 2, 2, 0, 3, 2, 2, 5, 4};
  int steps = 0;
  const Tensor rank = page_rank(tensor(from, device), tensor(to, device), 7, steps);
  print(rank);
  std::printf("after %d steps\n", steps);

  const Tensor found = rank.to(cpu);
  std::vector<double> links(7), next(7, 0.15 / 7);
  for (const std::int64_t page : from) ++links[static_cast<std::size_t>(page)];
  for (std::size_t i = 0; i < from.size(); ++i) {
    next[static_cast<std::size_t>(to[i])] += damping * found(from[i]) / links[static_cast<std::size_t>(from[i])];
  }
  double worst = std::abs(sum(found).item() - 1);
  for (int page = 0; page < 7; ++page) {
    const double expected = next[static_cast<std::size_t>(page)] + damping * found(6) / 7;
    worst = std::fmax(worst, std::abs(expected - found(page)));
  }
  return worst < 1e-11 && argmax(found).item() == 2;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// K nearest neighbours: the class of a point is that of most of the nearest points whose class is known. All distances
// are one product of matrices. Prints the share of points on three rings that get their ring, and checks the answers by
// sorting.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include <situ/situ.hpp>

using namespace situ;

/// Squared distances of all rows of `a` from all rows of `b`: |a|^2 - 2 a b + |b|^2.
auto distances(const TensorLike auto& a, const TensorLike auto& b) {
  return eval(unsqueeze(sum(square(a), 1), 1) - 2 * matmul(a, transpose(b)) + sum(square(b), 1));
}

/// The class of each row of `x`, as most of its `k` nearest rows of `known` have it, of `count` classes.
auto classify(const TensorLike auto& x, const TensorLike auto& known, const TensorLike auto& classes, int k,
              int count) {
  const Tensor nearest = topk(-distances(x, known), k, 1).indices;         // (n, k)
  const Tensor votes = sum(one_hot(take(classes, nearest, 0), count), 1);  // (n, count)
  return argmax(votes, 1);
}

/// Points on three rings, and which ring each is on.
template <Device D>
auto rings(int n, D device, Generator& generator) {
  const Tensor ring = arange<std::int64_t>(n, device) % 3;
  const Tensor angle = 6.2831853 * rand<double>({n}, device, generator);
  const Tensor radius = cast<double>(ring) + 1 + 0.1 * randn<double>({n}, device, generator);
  return std::pair(stack(radius * cos(angle), radius * sin(angle), 1), ring);
}

/// The class of (x, y) by sorting all distances.
std::int64_t by_sorting(double x, double y, const Tensor<double>& known, const Tensor<std::int64_t>& classes,
                        std::size_t k) {
  std::vector<std::pair<double, std::int64_t>> all_of_them;
  for (std::int64_t i = 0; i < known.extent(0); ++i) {
    all_of_them.emplace_back(std::hypot(x - known(i, 0), y - known(i, 1)), classes(i));
  }
  std::sort(all_of_them.begin(), all_of_them.end());
  int votes[3] = {};
  for (std::size_t i = 0; i < k; ++i) ++votes[all_of_them[i].second];
  return std::max_element(votes, votes + 3) - votes;
}

template <Device D>
bool run(D device) {
  Generator generator(5);
  const auto [known, classes] = rings(300, device, generator);
  const auto [x, truth] = rings(99, device, generator);
  const Tensor found = classify(x, known, classes, 5, 3);
  const double share = mean(cast<double>(found == truth)).to(cpu).item();
  std::printf("%.0f%% of the points get their ring\n", 100 * share);

  const Tensor points = x.to(cpu), there = known.to(cpu);
  const Tensor labels = classes.to(cpu), answers = found.to(cpu);
  bool same = true;
  for (std::int64_t i = 0; i < points.extent(0); ++i) {
    same = same && answers(i) == by_sorting(points(i, 0), points(i, 1), there, labels, 5);
  }
  return same && share > 0.95;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}

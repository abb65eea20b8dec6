// SPDX-License-Identifier: Apache-2.0
// K-means: finds four clusters of points in the plane by Lloyd's algorithm. Prints their centres, and checks each
// against the mean of the points that are nearest to it, computed by plain loops.
#include <array>
#include <cmath>
#include <cstdio>
#include <span>

#include <situ/situ.hpp>

using namespace situ;

/// The squared distance of every point (n, d) from every centre (k, d): (n, k).
auto distances(const TensorLike auto& points, const TensorLike auto& centres) {
  return eval(sum(square(unsqueeze(points, 1) - centres), 2));
}

/// `k` points far from each other: the first one, then always the one farthest from those chosen.
auto first_centres(const TensorLike auto& points, int k) {
  auto centres = eval(points(range(0, 1), all));
  while (centres.extent(0) < k) {
    const Tensor farthest = argmax(min(distances(points, centres), 1));
    centres = concat(centres, take(points, unsqueeze(farthest, 0), 0));
  }
  return centres;
}

auto k_means(const TensorLike auto& points, int k) {
  auto centres = first_centres(points, k);
  for (bool moving = true; moving;) {
    const Tensor members = one_hot(argmin(distances(points, centres), 1), k);  // (n, k): 1 for the nearest centre
    const Tensor means = eval(matmul(transpose(members), points) / unsqueeze(sum(members, 0), 1));
    moving = any(means != centres).to(cpu).item();
    centres = means;
  }
  return centres;
}

/// Whether each centre is the mean of the points nearest to it, and each has its share of the points.
bool check(std::span<const float> points, std::span<const float> centres, int k) {
  std::array<std::array<double, 3>, 8> sums{};  // x, y and the number of points of each centre
  for (std::size_t i = 0; i < points.size(); i += 2) {
    std::size_t nearest = 0;
    double least = INFINITY;
    for (std::size_t c = 0; c < centres.size(); c += 2) {
      const double distance = std::hypot(points[i] - centres[c], points[i + 1] - centres[c + 1]);
      if (distance < least) nearest = c, least = distance;
    }
    auto& sum = sums[nearest / 2];
    sum = {sum[0] + points[i], sum[1] + points[i + 1], sum[2] + 1};
  }
  bool right = true;
  for (std::size_t c = 0; c < centres.size(); c += 2) {
    const auto [x, y, count] = sums[c / 2];
    right = right && std::abs(x / count - centres[c]) < 1e-4 && std::abs(y / count - centres[c + 1]) < 1e-4;
    right = right && 2 * count * k == static_cast<double>(points.size());
  }
  return right;
}

template <Device D>
bool run(D device) {
  Generator generator(7);
  const Tensor truth = tensor({{-4.f, -4.f}, {-4.f, 4.f}, {4.f, -4.f}, {4.f, 4.f}}, device);
  const Tensor points = eval(take(truth, arange<int>(400, device) % 4, 0) + randn<float>({400, 2}, device, generator));
  const Tensor centres = k_means(points, 4);
  print(centres);
  const Tensor there = points.to(cpu), found = centres.to(cpu);
  return check(there.span(), found.span(), 4);
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// Filters over an image of bytes: a blur with weights 1 2 1, and Sobel's edges. Prints the edges of a disc as text,
// and checks every byte against plain loops.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <situ/situ.hpp>

using namespace situ;

using Byte = std::uint8_t;
const IndexRange inner = range(1, -1), before = range(0, -2), after = range(2, IndexRange::none);

/// `x` with weights 1 2 1 along one axis, and without its outermost elements there.
auto smooth(const TensorLike auto& x, int axis) {
  if (axis == 0) return eval(x(before, all) + 2 * x(inner, all) + x(after, all));
  return eval(x(all, before) + 2 * x(all, inner) + x(all, after));
}

auto blurred(const TensorLike auto& image) {
  const Tensor padded = pad(cast<int>(image), {{1, 1}, {1, 1}});
  return eval(cast<Byte>(floor_divide(smooth(smooth(padded, 0), 1) + 8, 16)));
}

/// The sum of the absolute slopes along both axes, 255 at most; 0 outside the image.
auto edges(const TensorLike auto& image) {
  const Tensor padded = pad(cast<int>(image), {{1, 1}, {1, 1}});
  const Tensor across = smooth(padded, 0), down = smooth(padded, 1);
  const Tensor slopes = eval(abs(across(all, after) - across(all, before)) + abs(down(after, all) - down(before, all)));
  return eval(cast<Byte>(minimum(slopes, 255)));
}

/// Both filters by plain loops, for one pixel.
std::pair<int, int> slow(const Tensor<Byte>& image, std::int64_t row, std::int64_t column) {
  int sum = 8, across = 0, down = 0;
  for (int i = -1; i <= 1; ++i) {
    for (int j = -1; j <= 1; ++j) {
      const auto y = row + i, x = column + j;
      if (y < 0 || x < 0 || y >= image.extent(0) || x >= image.extent(1)) continue;
      const int value = image(y, x);
      sum += value * (2 - std::abs(i)) * (2 - std::abs(j));
      across += value * j * (2 - std::abs(i));
      down += value * i * (2 - std::abs(j));
    }
  }
  return {sum / 16, std::min(std::abs(across) + std::abs(down), 255)};
}

template <Device D>
bool run(D device) {
  const Tensor y = unsqueeze(linspace<float>(-1.2f, 1.2f, 20, device), 1), x = linspace<float>(-1.2f, 1.2f, 40, device);
  const Tensor noise = randint<int>(0, 20, {20, 40}, device, Generator(5));
  const Tensor image = eval(cast<Byte>(20 + 180 * cast<int>(x * x + y * y < 1) + noise));

  const Tensor soft = blurred(image).to(cpu), found = edges(blurred(image)).to(cpu), sharp = edges(image).to(cpu);
  const Tensor original = image.to(cpu);
  int wrong = 0;
  for (std::int64_t i = 0; i < original.extent(0); ++i) {
    for (std::int64_t j = 0; j < original.extent(1); ++j) {
      std::printf("%c", found(i, j) > 200 ? '#' : '.');
      const auto [blur, edge] = slow(original, i, j);
      wrong += soft(i, j) != blur || sharp(i, j) != edge;
    }
    std::printf("\n");
  }
  std::printf("%d pixels are wrong\n", wrong);
  return wrong == 0;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}

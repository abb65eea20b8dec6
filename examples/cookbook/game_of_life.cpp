// SPDX-License-Identifier: Apache-2.0
// Conway's Game of Life on a torus. Prints a glider before and after four generations, in which it moves by one cell
// along both axes, and checks 20 generations of a random board against plain loops.
#include <cstdio>
#include <utility>

#include <situ/situ.hpp>

using namespace situ;

/// The next generation of a board of `bool`. Three neighbours, and the cell lives; two, and it stays what it is.
auto next(const TensorLike auto& board) {
  const Tensor cells = eval(cast<int>(board));
  const Tensor rows = eval(roll(cells, -1, 0) + cells + roll(cells, 1, 0));
  const Tensor block = eval(roll(rows, -1, 1) + rows + roll(rows, 1, 1));  // the cell and its eight neighbours
  return eval(block == 3 || (block == 4 && board));
}

auto after(const TensorLike auto& board, int generations) {
  auto result = eval(board);
  for (int i = 0; i < generations; ++i) result = next(result);
  return result;
}

/// The same by plain loops.
Tensor<bool> slow_next(const Tensor<bool>& board) {
  const auto rows = board.extent(0), columns = board.extent(1);
  Tensor result = zeros<bool>(board.shape());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      int neighbours = 0;
      for (const auto& [down, right] : {std::pair(-1, -1), {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}})
        neighbours += board((i + down + rows) % rows, (j + right + columns) % columns);
      result.at(i, j) = neighbours == 3 || (neighbours == 2 && board(i, j));
    }
  }
  return result;
}

void show(const TensorLike auto& board) {
  const Tensor cells = board.to(cpu);
  for (std::int64_t i = 0; i < cells.extent(0); ++i) {
    for (const bool alive : cells(i, all)) std::printf("%s", alive ? " #" : " .");
    std::printf("\n");
  }
  std::printf("\n");
}

template <Device D>
bool run(D device) {
  Tensor glider = zeros<bool>({8, 8}, device);
  glider.at(range(1, 4), range(1, 4)) = tensor({{0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, device) == 1;
  const Tensor moved = after(glider, 4);
  show(glider);
  show(moved);

  const Tensor soup = bernoulli(0.4, {20, 30}, device, Generator(3));
  Tensor expected = soup.to(cpu);
  for (int i = 0; i < 20; ++i) expected = slow_next(expected);
  const bool same = array_equal(after(soup, 20).to(cpu), expected).item();
  std::printf("%d of %d cells live after 20 generations\n", static_cast<int>(sum(expected).item()), 20 * 30);

  return same && array_equal(moved, roll(roll(glider, 1, 0), 1, 1)).to(cpu).item();
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}

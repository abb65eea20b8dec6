// SPDX-License-Identifier: Apache-2.0
// Copies between any two layouts on a GPU, to the byte as on the CPU: every element size, vectors, planes, repeats.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <situ/cuda/kernels/copy_kernels.hpp>
#include <situ/situ.hpp>

#include "views.hpp"

namespace {

using namespace views;  // NOLINT
using situ::bfloat16;

/// All pairs of layouts of one shape.
template <Element T>
void check_pairs(const Shape& shape) {
  const std::vector<View> sources = any(shape);
  const Both<T> memory(most_memory(sources));
  for (const View& from : sources) {
    for (const View& to : distinct(shape)) {
      std::string difference;
      INFO(shape.to_string(), " from ", from.name, " to ", to.name);
      const bool equal = agree<T>(
          to.layout, [&] { return memory.on_host(from.layout); }, [&] { return memory.on_gpu(from.layout); },
          difference);
      INFO(difference);
      CHECK(equal);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("copies of any layout to any layout are those of the CPU", T, std::uint8_t, bfloat16, float,
                   double) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{37}, Shape{4096}, Shape{3, 5}, Shape{16, 32}, Shape{33, 65},
                             Shape{2, 3, 16}, Shape{5, 16, 20}, Shape{2, 3, 4, 5}}) {
    check_pairs<T>(shape);
  }
}

TEST_CASE_TEMPLATE("planes of every size are transposed", T, std::uint8_t, bfloat16, float, double) {
  for (const std::int64_t rows : {1, 15, 16, 17, 31, 32, 33, 64, 65, 130}) {
    for (const std::int64_t columns : {1, 16, 31, 32, 63, 64, 65, 129}) {
      const Both<T> memory(rows * columns);
      const Layout transposed{Shape{columns, rows}, {1, columns}, 0};
      INFO(rows, " x ", columns);
      std::string difference;
      const bool equal = agree<T>(
          Layout::row_major(transposed.shape), [&] { return memory.on_host(transposed); },
          [&] { return memory.on_gpu(transposed); }, difference);
      INFO(difference);
      CHECK(equal);
    }
  }
}

/// Shared memory has 32 banks of 4 bytes; what threads read at once from several words of one bank comes one after the other.
template <int Bytes>
int words_of_a_bank() {
  using Kernel = situ::internal::cuda::detail::TransposeCopy<Bytes>;
  constexpr int together = Bytes == 8 ? 16 : 32;  // threads
  constexpr int pitch = static_cast<int>(sizeof(typename Kernel::Tile)) / Kernel::edge;
  int most = 0;
  for (int column = 0; column < Kernel::edge; ++column) {
    std::vector<std::set<int>> words(32);
    for (int row = 0; row < together; ++row) {
      for (int byte = 0; byte < Bytes; byte += 4) {
        const int word = (row * pitch + column * Bytes + byte) / 4;
        words[static_cast<std::size_t>(word % 32)].insert(word);
      }
    }
    for (const std::set<int>& bank : words) most = std::max(most, static_cast<int>(bank.size()));
  }
  return most;
}

TEST_CASE("a column of a transposed copy's tile lies in different banks") {
  CHECK(words_of_a_bank<1>() == 1);
  CHECK(words_of_a_bank<2>() == 1);
  CHECK(words_of_a_bank<4>() == 1);
  CHECK(words_of_a_bank<8>() == 1);
}

TEST_CASE("batches of images change the order of their axes") {
  const Both<float> memory(2 * 20 * 18 * 33);
  const Layout images = Layout::row_major(Shape{2, 20, 18, 33});
  for (const std::vector<int>& order :
       {std::vector<int>{0, 2, 3, 1}, std::vector<int>{0, 3, 1, 2}, std::vector<int>{3, 2, 1, 0},
        std::vector<int>{1, 0, 3, 2}, std::vector<int>{2, 0, 3, 1}}) {
    Layout layout{
        Shape{images.shape[order[0]], images.shape[order[1]], images.shape[order[2]], images.shape[order[3]]}, {}};
    for (int axis = 0; axis < 4; ++axis) layout.set_stride(axis, images.stride(order[static_cast<std::size_t>(axis)]));
    std::string difference;
    const bool equal = agree<float>(
        Layout::row_major(layout.shape), [&] { return memory.on_host(layout); }, [&] { return memory.on_gpu(layout); },
        difference);
    INFO(layout.shape.to_string(), ": ", difference);
    CHECK(equal);
  }
}

TEST_CASE("a copy keeps the bits of NaN, of both zeros and of bool") {
  std::vector<float> values{0.f, -0.f, __builtin_nanf("1"), __builtin_nanf("77"), __builtin_inff(), 1e-42f};
  const Tensor<float> x = situ::from_span<float>(values);
  const Tensor<float, Gpu> y = situ::contiguous(situ::flip(x.to<Gpu>()));
  std::string difference;
  CHECK_MESSAGE(same(situ::contiguous(situ::flip(x)), y, difference), difference);
  const Tensor<bool> mask = situ::isnan(x);
  CHECK_MESSAGE(same(situ::contiguous(situ::flip(mask)), situ::contiguous(situ::flip(mask.to<Gpu>())), difference),
                difference);
}

// SPDX-License-Identifier: Apache-2.0
// What a file that the host compiler compiles can do with tensors of a GPU: everything but launch kernels of its own. That it
// compiles and links is half of the test, where there is no GPU.
#include <doctest/doctest.h>

#include <thread>
#include <utility>
#include <vector>

#include <situ/situ.hpp>

using namespace situ;

namespace {

struct Owner {
  Tensor<float, Cuda<0>> weight;
  Tensor<float, Cuda<1>> other;
};

TEST_CASE("a host-compiled file holds, makes, moves, views, copies, multiplies and frees tensors of a GPU") {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  Owner owner{from_span<float>(values, {2, 3}, gpu<0>), {}};
  const Tensor<float, Cuda<0>> shared = owner.weight;
  Tensor<float, Cuda<0>> moved = std::move(owner.weight);
  CHECK(shared.storage() == moved.storage());

  const Tensor<float, Cuda<0>> view = transpose(moved)(range(0, 2), all);
  CHECK(view.shape() == Shape{2, 2});
  const Tensor<float, Cpu> back = view.to<Cpu>();  // a strided copy: compiled into the library
  CHECK(std::vector<float>(back.begin(), back.end()) == std::vector<float>{1, 4, 2, 5});
  CHECK(moved.copy_to<Cuda<0>>().storage() != moved.storage());
  owner.other = moved.to<Cuda<1>>();
  CHECK(owner.other.to<Cpu>()(1, 2) == 6);

  const Tensor<float, Cpu> product = matmul(moved, transpose(moved)).to<Cpu>();
  CHECK(std::vector<float>(product.begin(), product.end()) == std::vector<float>{14, 32, 32, 77});

  std::thread([gone = std::move(moved)] { CHECK(gone.shape() == Shape{2, 3}); }).join();
}

}  // namespace

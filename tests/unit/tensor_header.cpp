// SPDX-License-Identifier: Apache-2.0
// The light door, situ/tensor.hpp, alone: what its first lines promise is there and computes.
#include <doctest/doctest.h>

#include <sstream>
#include <vector>

#include <situ/tensor.hpp>

using namespace situ;

TEST_CASE("situ/tensor.hpp has expressions, reductions, products, views, moving and printing") {
  const Tensor x = tensor({{1.f, 2.f}, {3.f, 4.f}});
  Tensor y = relu(matmul(x, x) - mean(x)) / max(x);  // {4.5, 7.5}, {12.5, 19.5}, by 4
  y += where(x > 2, sqrt(x * x), 0);
  CHECK(sum(y).item() == (4.5f + 7.5f + 12.5f + 19.5f) / 4 + 7);
  CHECK(transpose(y)(0, 1) == 12.5f / 4 + 3);
  CHECK(reshape(y, {4}).extent(0) == 4);
  y.at(0, all) = zeros<float>({2});
  std::vector<float> elements;
  for (const float element : y * 2) elements.push_back(element);
  CHECK(elements == std::vector<float>{0, 0, 12.25f, 17.75f});
  std::ostringstream text;
  text << with_device(try_gpu(), [&](auto device) { return x.to(device).to(cpu); });
  CHECK(text.str() == "tensor([[1., 2.],\n        [3., 4.]], shape=(2, 2), dtype=float32, device='cpu')");
}

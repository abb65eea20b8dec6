// SPDX-License-Identifier: Apache-2.0
// Reductions of so many elements that naive sums are wrong.
// labels: values
#include <doctest/doctest.h>

#include <cmath>

#include <situ/situ.hpp>

using namespace situ;

TEST_CASE("the sum of 10^8 floats 0.1f is right to 6 digits") {
  // one value in memory, read 10^8 times: the sum does not know
  const Tensor<float> one = situ::internal::Fill<float, Cpu>(Shape{1}, 0.1f);
  const Tensor<float> many(one.storage(), Layout{Shape{100'000'000}, Strides{0}, 0});
  CHECK(std::abs(sum(many).item() - 1e7f) <= 10.f);
  const Tensor<float> rows(one.storage(), Layout{Shape{1'000'000, 100}, Strides{0, 0}, 0});
  CHECK(std::abs(sum(rows, 0)(99) - 1e5f) <= 0.1f);
  CHECK(std::abs(mean(many).item() - 0.1f) <= 1e-7f);
}

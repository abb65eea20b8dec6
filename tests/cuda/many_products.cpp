// SPDX-License-Identifier: Apache-2.0
// More products at once than a launch has blocks along an axis, and than one call of cuBLASLt is given.
// labels: values, large
#include <doctest/doctest.h>

#include <cstdint>

#include <situ/situ.hpp>

#include "compare.hpp"

using namespace situ;
using cuda_test::filled;
using cuda_test::on_gpu;
using cuda_test::same_bits;

namespace {

/// `count` products of a row and a column, of whole numbers so small that every order of the sum gives the same bits.
template <class T>
bool products_agree(std::int64_t count) {
  const Tensor a = filled<T>({count, 1, 2}, [](std::int64_t i) { return static_cast<T>(i % 1009); });
  const Tensor b = filled<T>({count, 2, 1}, [](std::int64_t i) { return static_cast<T>(i % 7); });
  return same_bits(matmul(on_gpu(a), on_gpu(b)), matmul(a, b));
}

TEST_CASE("more products than one call is given") {
  CHECK(products_agree<float>(70000));
  CHECK(products_agree<std::int32_t>(66000));
}

}  // namespace

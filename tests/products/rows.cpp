// SPDX-License-Identifier: Apache-2.0
// A row of a product has the same bits whatever other rows there are, and so whatever tile computes it. Of our own kernels
// only; optimised, and tuned for a processor for which GCC makes two instructions of some multiply-adds.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <situ/cpu/gemm/gemm.hpp>

namespace {

using Index = std::int64_t;

/// Numbers whose products are rounded.
template <class T>
std::vector<T> numbers(Index count) {
  std::vector<T> all(static_cast<std::size_t>(count));
  std::uint32_t state = 1;
  for (T& x : all) {
    state = state * 1664525 + 1013904223;
    x = static_cast<T>(state >> 8) / T(0x1p23) - T(1);
  }
  return all;
}

TEST_CASE_TEMPLATE("products: rows do not depend on how many there are", T, float, double) {
  // With 784 terms sums are cut; few rows are multiplied without packing.
  constexpr Index all = 300;
  for (const auto& [n, k] : {std::array<Index, 2>{250, 784}, std::array<Index, 2>{3, 300}, std::array<Index, 2>{3, 784},
                             std::array<Index, 2>{1, 784}}) {
    const std::vector<T> a = numbers<T>(all * k), b = numbers<T>(k * n);
    const auto multiply = [&, n = n, k = k](Index rows) {
      std::vector<T> c(static_cast<std::size_t>(rows * n));
      situ::internal::cpu::gemm<T>(rows, n, k, {a.data(), k, 1}, {b.data(), n, 1}, c.data());
      return c;
    };
    const std::vector<T> whole = multiply(all);
    for (const Index rows : {64, 127, 128, 129, 131}) {
      const std::vector<T> some = multiply(rows);
      CHECK(std::equal(some.begin(), some.end(), whole.begin()));
    }
  }
}

TEST_CASE_TEMPLATE("products: nor with the transpose of a row-major matrix, up to 64 rows", T, float, double) {
  for (const auto& [n, k] : {std::array<Index, 2>{250, 784}, std::array<Index, 2>{3, 331},
                             std::array<Index, 2>{11, 9001}}) {
    const std::vector<T> a = numbers<T>(64 * k), b = numbers<T>(k * n);
    const auto multiply = [&, n = n, k = k](Index rows) {
      std::vector<T> c(static_cast<std::size_t>(rows * n));
      situ::internal::cpu::gemm<T>(rows, n, k, {a.data(), k, 1}, {b.data(), 1, k}, c.data());
      return c;
    };
    const std::vector<T> whole = multiply(64);
    for (const Index rows : {2, 3, 4, 5, 16, 31}) {
      const std::vector<T> some = multiply(rows);
      CHECK(std::equal(some.begin(), some.end(), whole.begin()));
    }
  }
}

}  // namespace

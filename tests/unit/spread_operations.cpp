// SPDX-License-Identifier: Apache-2.0
// Products, structure, indices, losses over host devices; tests/cuda/spread_operations.cpp has GPUs, and
// tests/static/spread_operations.cpp what is refused. Sanitizers have the former.
// labels: gradients
#include <doctest/doctest.h>

#include "../spread_operations.hpp"

using situ::cpu;
using situ::Pinned;
using spread_test::row_counts;

TEST_CASE("products of spread values are those of tensors") {
  for (const std::int64_t rows : row_counts) {
    spread_test::check_products(rows, cpu, Pinned{});
    spread_test::check_products(rows, cpu, cpu, cpu);
  }
}

TEST_CASE("operations along axes and on axes of spread values are those of tensors") {
  for (const std::int64_t rows : row_counts) {
    spread_test::check_axes(rows, cpu, Pinned{});
    spread_test::check_axes(rows, cpu, cpu, cpu);
  }
}

TEST_CASE("lookups and losses of spread values are those of tensors") {
  for (const std::int64_t rows : row_counts) {
    spread_test::check_lookups_and_losses(rows, cpu, Pinned{});
    spread_test::check_lookups_and_losses(rows, cpu, cpu, cpu);
  }
}

TEST_CASE("what only the rank of a spread value decides is an error that says so") {
  spread_test::check_operation_errors(cpu, Pinned{});
  spread_test::check_operation_errors(cpu, cpu, cpu);
}

TEST_CASE("local values are operated on by themselves") {
  using situ::as;
  using situ::Local;
  const auto a = situ::tensor({{1.f, 2.f}}), b = situ::tensor({{3.f, 4.f}, {5.f, 6.f}});
  const auto x = as<Local>(a, b);
  const auto w = situ::replicate(situ::tensor({{1.f}, {10.f}}), cpu, cpu);
  const auto [first, second] = local(matmul(x, w));
  CHECK(situ::array_equal(first, situ::tensor({{21.f}})).item());
  CHECK(situ::array_equal(second, situ::tensor({{43.f}, {65.f}})).item());
  const auto [rest, others] = local(situ::softmax<1>(x)(0, 1));
  CHECK(rest.item() == doctest::Approx(others.item()));
}

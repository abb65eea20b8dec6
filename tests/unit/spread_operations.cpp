// SPDX-License-Identifier: Apache-2.0
// Products, structure, indices, losses over host devices; tests/cuda/spread_operations.cpp has GPUs, and
// tests/static/spread_operations.cpp what is refused. Sanitizers have the former.
// labels: gradients
#include <doctest/doctest.h>

#include <concepts>

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

TEST_CASE("axes in angle brackets are those in parentheses") {
  using namespace situ;
  Generator generator(5);
  const Tensor x = randn<float>({3, 4}, cpu, generator);
  const auto same = [](const auto& found, const auto& wanted) {
    static_assert(std::same_as<decltype(found), decltype(wanted)>);
    return array_equal(found, wanted).item();
  };
  CHECK(same(sum<1>(x), sum(x, 1)));
  CHECK(same(mean<0, 1, keepdims>(x), mean(x, {0, 1}, keepdims)));
  CHECK(same(min<1>(x), min(x, 1)));
  CHECK(same(max<0, keepdims>(x), max(x, 0, keepdims)));
  CHECK(same(any<0>(x > 0.f), any(x > 0.f, 0)));
  CHECK(same(all<1>(x), all(x, 1)));
  CHECK(same(prod<0>(x), prod(x, 0)));
  CHECK(same(var<1>(x, Ddof{1}), var(x, 1, Ddof{1})));
  CHECK(same(stddev<0, keepdims>(x), stddev(x, 0, keepdims)));
  CHECK(same(norm<1>(x), norm(x, {1})));
  CHECK(same(norm<1, keepdims>(x, NormOrder{1}), norm(x, {1}, keepdims, NormOrder{1})));
  CHECK(same(argmin<1>(x), argmin(x, 1)));
  CHECK(same(argmax<0, keepdims>(x), argmax(x, 0, keepdims)));
  CHECK(same(logsumexp<1, keepdims>(x), logsumexp(x, 1, keepdims)));
  CHECK(same(softmax<0>(x), softmax(x, 0)));
  CHECK(same(log_softmax<1>(x * 2.f), log_softmax(x * 2.f, 1)));
  CHECK(same(sort<0>(x, true), sort(x, 0, true)));
  CHECK(same(argsort<1>(x), argsort(x, 1)));
  CHECK(same(topk<0>(x, 2, false).values, topk(x, 2, 0, false).values));
  CHECK(same(topk<1>(x, 3).indices, topk(x, 3, 1).indices));
  CHECK(same(cumsum<0>(x), cumsum(x, 0)));
  CHECK(same(cumprod<1>(x), cumprod(x, 1)));
  CHECK(same(diff<0>(x), diff(x, 0)));
  CHECK(same(flip<1>(x), flip(x, 1)));
  CHECK(same(roll<0>(x, 2), roll(x, 2, 0)));
  CHECK(same(repeat<1>(x, 2), repeat(x, 2, 1)));
  CHECK(same(transpose<0, 1>(x), transpose(x, 0, 1)));
  CHECK(same(permute<1, 0>(x), permute(x, {1, 0})));
  CHECK(same(squeeze<1>(unsqueeze<1>(x)), x));
  CHECK_THROWS_AS(static_cast<void>(sum<2>(x)), IndexError);
  CHECK_THROWS_AS(static_cast<void>(squeeze<0>(x)), ShapeError);
}

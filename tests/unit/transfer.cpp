// SPDX-License-Identifier: Apache-2.0
// Moving between host devices: when storage is shared, when it is copied, and how copies lie.
#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>
#include <vector>

#include <situ/situ.hpp>

using namespace situ;

namespace {

template <class T, class D>
std::vector<T> values(const Tensor<T, D>& x) {
  return {x.begin(), x.end()};
}

template <class From, class To>
struct Pair {
  using from = From;
  using to = To;
};

}  // namespace

static_assert(std::same_as<decltype(Tensor<float>().to<Pinned>()), Tensor<float, Pinned>>);
static_assert(std::same_as<decltype(Tensor<float>().to(gpu<1>)), Tensor<float, Cuda<1>>>);
static_assert(std::same_as<decltype(Tensor<float, Cuda<0>>().to(gpu<1>)), Tensor<float, Cuda<1>>>);
static_assert(std::same_as<decltype(Tensor<bool, Cuda<0>>().copy_to<Cpu>()), Tensor<bool, Cpu>>);

TEST_CASE_TEMPLATE("to the device it is on shares, copy_to never does", D, Cpu, Pinned) {
  Tensor x = tensor({{1.f, 2.f}, {3.f, 4.f}}, D{});
  const MemoryStats before = memory_stats<D>();
  const Tensor same = x.template to<D>();
  CHECK(memory_stats<D>().allocations == before.allocations);
  CHECK(same.data() == x.data());
  const Tensor copied = x.template copy_to<D>();
  CHECK(memory_stats<D>().allocations == before.allocations + 1);
  CHECK(copied.data() != x.data());
  CHECK(values(copied) == values(x));
  x.at(0, 0) = 9;
  CHECK(same(0, 0) == 1);
  CHECK(copied(0, 0) == 1);
}

TEST_CASE_TEMPLATE("to another device copies", P, Pair<Cpu, Pinned>, Pair<Pinned, Cpu>) {
  using From = typename P::from;
  using To = typename P::to;
  Tensor x = tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}, From{});
  Tensor y = x.to(To{});
  static_assert(std::same_as<decltype(y), Tensor<float, To>>);
  CHECK(y.shape() == Shape{2, 3});
  CHECK(y.data() != x.data());
  y += 1;
  CHECK(values(x) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(values(y) == std::vector<float>{2, 3, 4, 5, 6, 7});
  CHECK(values(y.to(From{})) == values(y));
}

TEST_CASE_TEMPLATE("a view arrives in row-major order", P, Pair<Cpu, Pinned>, Pair<Pinned, Cpu>, Pair<Cpu, Cpu>) {
  using From = typename P::from;
  using To = typename P::to;
  const Tensor x = reshape(arange<std::int32_t>(24, From{}), {2, 3, 4});
  const auto check = [](const auto& view, const std::vector<std::int32_t>& expected) {
    const Tensor y = view.copy_to(To{});
    CHECK(y.shape() == view.shape());
    CHECK(y.layout().is_row_major());
    CHECK(y.layout().offset == 0);
    CHECK(values(y) == expected);
  };
  check(transpose(x(1, all, range(0, 2))), {12, 16, 20, 13, 17, 21});
  check(x(0, range(IndexRange::none, IndexRange::none, -2), 1), {9, 1});
  check(broadcast_to(x(1, 2, range(2, 4)), {3, 2}), {22, 23, 22, 23, 22, 23});
  check(x(all, 0, 0), {0, 12});
  check(x(1, all), {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
}

TEST_CASE("a view that stays where it is keeps its layout") {
  const Tensor x = transpose(tensor({{1, 2, 3}, {4, 5, 6}}));
  const Tensor y = x.to(Cpu{});
  CHECK(y.layout() == x.layout());
  CHECK(y.data() == x.data());
}

TEST_CASE_TEMPLATE("tensors without elements and of rank 0", P, Pair<Cpu, Pinned>, Pair<Pinned, Cpu>, Pair<Cpu, Cpu>) {
  using From = typename P::from;
  using To = typename P::to;
  for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 2, 5}}) {
    CHECK(zeros<double>(shape, From{}).to(To{}).shape() == shape);
    CHECK(zeros<double>(shape, From{}).copy_to(To{}).shape() == shape);
  }
  const Tensor scalar = tensor(2.5, From{});
  CHECK(scalar.to(To{}).shape() == Shape{});
  CHECK(scalar.to(To{}).item() == 2.5);
  CHECK(scalar.copy_to(To{}).item() == 2.5);
}

TEST_CASE_TEMPLATE("every element type crosses unchanged", T, bool, std::uint8_t, std::int32_t, std::int64_t, float16,
                   bfloat16, float, double) {
  const Tensor x = cast<T>(tensor({0.f, 1.f, 2.f, 117.f}));
  const Tensor there = x.to(pinned);
  CHECK(values(there) == values(x));
  CHECK(values(there.to(Cpu{})) == values(x));
}

TEST_CASE("a large view crosses whole") {
  constexpr std::int64_t n = 1500;
  const Tensor x = reshape(arange<std::int32_t>(n * n), {n, n});
  const Tensor y = transpose(x).to(pinned);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) wrong += y(i, j) != j * n + i;
  }
  CHECK(wrong == 0);
}

TEST_CASE("a leased tensor does not move") {
  Tensor x = ones<float>({2});
  const auto lease = x.write();
  CHECK_THROWS_AS(static_cast<void>(x.to(pinned)), LeaseError);
  CHECK_THROWS_AS(static_cast<void>(x.copy_to(Cpu{})), LeaseError);
}

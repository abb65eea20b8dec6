// SPDX-License-Identifier: Apache-2.0
// Conformance: tensors are made on a device, and moved to it and from it.
#pragma once

#include "support.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_DEFINE("creation", D, creation) {
  CHECK(elements(zeros<float>({2, 2}, D{})) == std::vector<float>{0, 0, 0, 0});
  CHECK(elements(ones<std::int32_t>({3}, D{})) == std::vector<std::int32_t>{1, 1, 1});
  CHECK(elements(full<double>({2}, 2.5, D{})) == std::vector<double>{2.5, 2.5});
  CHECK(elements(full<bool>({3}, true, D{})) == std::vector<bool>{true, true, true});
  CHECK(elements(arange<std::int64_t>(2, 8, 3, D{})) == std::vector<std::int64_t>{2, 5});
  CHECK(elements(linspace<float>(0, 1, 3, D{})) == std::vector<float>{0, 0.5f, 1});
  CHECK(elements(eye<float>(2, D{})) == std::vector<float>{1, 0, 0, 1});
  CHECK(elements(eye<std::uint8_t>(2, 3, 1, D{})) == std::vector<std::uint8_t>{0, 1, 0, 0, 0, 1});
  CHECK(elements(tensor({{1.f, 2.f}, {3.f, 4.f}}, D{})) == std::vector<float>{1, 2, 3, 4});
  CHECK(elements(arange(2, 8, 3, D{})) == std::vector<std::int64_t>{2, 5});
  CHECK(elements(eye(2, D{})) == std::vector<float>{1, 0, 0, 1});
  CHECK(elements(tensor(std::vector{1.5, 2.5}, D{})) == std::vector<double>{1.5, 2.5});
  CHECK(elements(tensor<float>(std::vector{1, 2}, D{})) == std::vector<float>{1, 2});
  CHECK(elements(tensor(std::vector{true, false}, D{})) == std::vector<bool>{true, false});
  const Tensor<float, D> x = empty<float>({4, 5}, D{});
  CHECK(x.shape() == Shape{4, 5});
  CHECK(elements(zeros_like(x)) == std::vector<float>(20, 0));
  CHECK(elements(ones_like(x)) == std::vector<float>(20, 1));
  CHECK(elements(full_like(x, 3)) == std::vector<float>(20, 3));
  check_elements(linspace<double>(-1, 2, 1001, D{}), linspace<double>(-1, 2, 1001), 2);
  check_elements(arange<float>(0, 1000, D{}), arange<float>(0, 1000));
  CHECK_THROWS_AS(static_cast<void>(from_span<float>(std::vector<float>(3), Shape{2}, D{})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(zeros<float>({-1}, D{})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(zeros<float>({3, 6148914691236517206, 0}, D{})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(sum(zeros<float>({std::int64_t{1} << 31, std::int64_t{1} << 31, 0}, D{}), 2)),
                  OutOfMemory);
  CHECK_THROWS_AS(static_cast<void>(zeros<float>({std::int64_t{1} << 50, 1 << 10}, D{})), OutOfMemory);
  // After that the device is as usable as before.
  CHECK(elements(ones<float>({2}, D{})) == std::vector<float>{1, 1});
}

template <class T, class D>
void check_movement() {
  for (const Shape& shape : shapes()) {
    const Tensor<T, Cpu> host = cast<T>(counting<std::int32_t>(shape));
    const Tensor<T, D> there = host.to(D{});
    check_elements(there, host);
    check_elements(there.copy_to(D{}), host);
    CHECK(there.copy_to(D{}).storage() != there.storage());
    CHECK((shape.count() == 0 || there.to(D{}).storage() == there.storage()));
    check_elements(there.to(Pinned{}), host);
    check_elements(host.to(Pinned{}).to(D{}), host);
  }
  const Tensor<T, Cpu> x = cast<T>(counting<std::int32_t>({67, 70, 3}));
  check_same<D>(0, [](const auto& a) { return contiguous(transpose(a, 0, 1)); }, x);
  check_same<D>(0, [](const auto& a) { return contiguous(permute(a, {2, 0, 1})); }, x);
  check_same<D>(0, [](const auto& a) { return a(all, range(IndexRange::none, IndexRange::none, -2), range(0, 2)); }, x);
  check_same<D>(0, [](const auto& a) { return broadcast_to(a(range(0, 5), 3, all), {4, 5, 3}); }, x);
}
TEST_CASE_TEMPLATE_DEFINE("movement of every element type", D, movement) {
  check_movement<bool, D>();
  check_movement<std::uint8_t, D>();
  check_movement<std::int32_t, D>();
  check_movement<std::int64_t, D>();
  check_movement<float16, D>();
  check_movement<bfloat16, D>();
  check_movement<float, D>();
  check_movement<double, D>();
}

/// `to_async` between `D` and `Other`, both ways, and `copy` into a part of a tensor.
template <class T, class D, class Other>
void check_copies_between() {
  for (const Shape& shape : shapes()) {
    const Tensor<T, Cpu> host = cast<T>(counting<std::int32_t>(shape));
    if constexpr (internal::asynchronous<D> && internal::asynchronous<Other>) {
      Pending there = host.to(Pinned{}).to(D{}).to_async(Other{});
      CHECK(there.shape() == shape);
      check_elements(std::move(there).wait().to_async(D{}).wait(), host);
    }
    Tensor<T, Other> target = zeros<T>({5, 70, 67, 2}, Other{});
    if (shape.rank() != 2 || shape.count() == 0) continue;
    Tensor<T, D> back = zeros<T>(shape, D{});
    copy(host.to(D{}), target.at(3, range(0, shape[0]), range(0, shape[1]), 1));
    copy(target(3, range(0, shape[0]), range(0, shape[1]), 1), back);
    check_elements(back, host);
  }
}
TEST_CASE_TEMPLATE_DEFINE("copies beside other work, and into tensors that exist", D, copies) {
  check_copies_between<std::uint8_t, D, Cpu>();
  check_copies_between<std::uint8_t, D, Pinned>();
  if constexpr (!HostDevice<D>) {
    check_copies_between<std::uint8_t, D, Cuda<0>>();
    check_copies_between<double, D, Cuda<1>>();
    check_copies_between<double, Pinned, D>();
  }
}

TEST_CASE_TEMPLATE_DEFINE("movement of more than a staging buffer", D, large_movement) {
  const Tensor<std::int32_t, Cpu> host = arange<std::int32_t>(0, 3'000'017);
  const Tensor<std::int32_t, D> there = host.to(D{});
  check_elements(there, host);
  check_elements(there.copy_to(D{})(range(IndexRange::none, IndexRange::none, 3)),
                 host(range(IndexRange::none, IndexRange::none, 3)));
}

TEST_CASE_TEMPLATE_DEFINE("tensors are values", D, values) {
  Tensor<float, D> x = counting<float, D>({3, 4});
  const Tensor<float, D> before = x;
  const Tensor<float, D> view = x(1, all);
  x += 1;
  x.at(1, all) = x(0, all) * 10;
  x.at(all, range(0, 2)) = transpose(counting<float, D>({2, 3}));
  x.at(2, range(2, 4)) = 0.5;
  CHECK(elements(x) == std::vector<float>{0, 3, 3, 4, 1, 4, 30, 40, 2, 5, 0.5, 0.5});
  CHECK(elements(before)[5] == 5);
  CHECK(elements(view) == std::vector<float>{4, 5, 6, 7});
  x = x + before;
  CHECK(elements(x)[0] == 0);
  CHECK(elements(x)[11] == 11.5);
  Tensor<float, D> y = std::move(x);
  y *= 2;
  y -= eval(y + 0);
  CHECK(elements(y) == std::vector<float>(12, 0));
  y.at(all) = 7;
  y.at(range(0, 3, 2), 1) += 1;
  CHECK(elements(y(all, 1)) == std::vector<float>{8, 7, 8});
  CHECK_THROWS_AS(y += (counting<float, D>({5})), ShapeError);
  CHECK(elements(y(all, 1)) == std::vector<float>{8, 7, 8});
}

}  // namespace conformance

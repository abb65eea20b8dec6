// SPDX-License-Identifier: Apache-2.0
// take, gather, scatter, scatter_add and one_hot on a GPU against the CPU's, to the bit, and what becomes of an index that
// is out of range.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <situ/situ.hpp>

#include "../reference.hpp"
#include "compare.hpp"

using namespace situ;
using cuda_test::filled;
using cuda_test::on_gpu;
using cuda_test::same_bits;
using reference::contains;
using reference::counting;
using reference::layouts;
using reference::message_of;

namespace {

/// Indices of an axis without a pattern, a third of them from its end where the type has signs.
template <class At>
Tensor<At> positions(const Shape& shape, std::int64_t extent) {
  return filled<At>(shape, [&](std::int64_t i) {
    const std::int64_t position = (i * i * 7 + 3 * i + 1) % extent;
    return std::is_signed_v<At> && i % 3 == 0 ? position - extent : position;
  });
}

/// Floating elements whose sum depends on the order.
template <class T>
Tensor<T> uneven(const Shape& shape) {
  return filled<T>(shape, [](std::int64_t i) {
    using C = compute_t<T>;
    return C(i * 37 % 101) * (i % 5 == 0 ? C(29) : C(0.37)) - C(11);
  });
}

}  // namespace

TEST_CASE_TEMPLATE("take along every axis of operands of any layout", T, bool, float16, int32_t, double) {
  for (const Tensor<T>& x : layouts<T>({3, 5, 4})) {
    const auto there = on_gpu(x);
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t extent = x.shape()[axis];
      const Tensor some = positions<std::int64_t>({2, 3}, extent);
      CHECK(same_bits(take(there, on_gpu(some), axis), take(x, some, axis)));
      const Tensor one = positions<std::int32_t>({}, extent);
      CHECK(same_bits(take(there, on_gpu(one), axis), take(x, one, axis)));
      const Tensor bytes = positions<std::uint8_t>({7}, extent);
      CHECK(same_bits(take(there, on_gpu(bytes), axis), take(x, bytes, axis)));
    }
  }
}

TEST_CASE_TEMPLATE("take of long rows, aligned and not", T, uint8_t, bfloat16, float, int64_t) {
  const Tensor x = counting<T>({9, 530});
  const Tensor rows = positions<std::int64_t>({21}, 9);
  const Tensor part = x(all, range(0, 512));
  CHECK(same_bits(take(on_gpu(part), on_gpu(rows), 0), take(part, rows, 0)));
  const Tensor shifted = x(all, range(1, 513));
  CHECK(same_bits(take(on_gpu(shifted), on_gpu(rows), 0), take(shifted, rows, 0)));
  const Tensor whole = contiguous(part);
  CHECK(same_bits(take(on_gpu(whole), on_gpu(rows), 0), take(whole, rows, 0)));
  const Tensor columns = positions<std::int32_t>({40}, 530);
  CHECK(same_bits(take(on_gpu(x), on_gpu(columns), 1), take(x, columns, 1)));
}

TEST_CASE_TEMPLATE("gather along every axis", T, uint8_t, bfloat16, float, int64_t) {
  for (const Tensor<T>& x : layouts<T>({3, 5, 4})) {
    const auto there = on_gpu(x);
    for (int axis = 0; axis < 3; ++axis) {
      Shape shape = x.shape();
      shape.set(axis, 7);
      for (const Tensor<std::int64_t>& at : layouts<std::int64_t>(reference::index_of(shape))) {
        const Tensor index = eval(at % std::int64_t{x.shape()[axis]});
        CHECK(same_bits(gather(there, axis, on_gpu(index)), gather(x, axis, index)));
      }
      Shape narrow{1, 1, 1};
      narrow.set(axis, 6);
      const Tensor broadcast = positions<std::int32_t>(narrow, x.shape()[axis]);
      CHECK(same_bits(gather(there, axis, on_gpu(broadcast)), gather(x, axis, broadcast)));
    }
  }
  const Tensor long_line = counting<T>({5000});
  const Tensor at = positions<std::int64_t>({3001}, 5000);
  CHECK(same_bits(gather(on_gpu(long_line), 0, on_gpu(at)), gather(long_line, 0, at)));
}

TEST_CASE_TEMPLATE("scatter: of several writes to one place the last wins", T, bool, float16, float, int64_t) {
  for (const Tensor<T>& x : layouts<T>({3, 5, 4})) {
    for (int axis = 0; axis < 3; ++axis) {
      Shape shape = x.shape();
      shape.set(axis, 9);
      const Tensor index = positions<std::int64_t>(shape, x.shape()[axis]);
      for (const Tensor<T>& source : layouts<T>(reference::index_of(shape))) {
        CHECK(same_bits(scatter(on_gpu(x), axis, on_gpu(index), on_gpu(source)), scatter(x, axis, index, source)));
      }
    }
  }
}

TEST_CASE_TEMPLATE("scatter_add rounds in the order of the indices", T, uint8_t, float16, bfloat16, float, double, int64_t) {
  const Tensor<T> x = uneven<T>({6, 10});
  for (int axis = 0; axis < 2; ++axis) {
    for (const std::int64_t count : {9, 70}) {  // walked, and sorted
      Shape shape = x.shape();
      shape.set(axis, count);
      const Tensor<T> source = uneven<T>(shape);
      const Tensor index = positions<std::int64_t>(shape, x.shape()[axis]);
      CHECK(same_bits(scatter_add(on_gpu(x), axis, on_gpu(index), on_gpu(source)), scatter_add(x, axis, index, source)));
      CHECK(same_bits(scatter(on_gpu(x), axis, on_gpu(index), on_gpu(source)), scatter(x, axis, index, source)));
      Shape line{1, 1};
      line.set(axis, count);
      const Tensor shared = positions<std::int32_t>(line, x.shape()[axis]);  // the same for all lines
      CHECK(same_bits(scatter_add(on_gpu(x), axis, on_gpu(shared), on_gpu(source)), scatter_add(x, axis, shared, source)));
    }
  }
}

TEST_CASE("scatter_add of a long line: a histogram") {
  const Tensor labels = positions<std::int64_t>({20000}, 11);
  const Tensor ones_ = full<float>({20000}, 0.1f);
  const Tensor zero = zeros<float>({11});
  const Tensor expected = scatter_add(zero, 0, labels, ones_);
  const auto found = scatter_add(on_gpu(zero), 0, on_gpu(labels), on_gpu(ones_));
  CHECK(same_bits(found, expected));
  CHECK(same_bits(scatter_add(on_gpu<1>(zero), 0, on_gpu<1>(labels), on_gpu<1>(ones_)), expected));
}

TEST_CASE("scatter of many lines is walked") {
  const Tensor x = counting<float>({2, 70000});
  const Tensor source = uneven<float>({40, 70000});
  const Tensor index = positions<std::uint8_t>({40, 1}, 2);
  CHECK(same_bits(scatter_add(on_gpu(x), 0, on_gpu(index), on_gpu(source)), scatter_add(x, 0, index, source)));
}

TEST_CASE("scatter leaves what it is given, and writes in place what nobody else has") {
  const Tensor x = counting<float>({4, 4});
  const Tensor index = tensor<std::int64_t>({{1}, {2}});
  const Tensor source = full<float>({2, 1}, 9.f);
  const auto there = on_gpu(x);
  const auto written = scatter(there, 0, on_gpu(index), on_gpu(source));
  CHECK(same_bits(there, x));
  CHECK(same_bits(written, scatter(x, 0, index, source)));
}

TEST_CASE_TEMPLATE("one_hot", T, bool, uint8_t, bfloat16, float, int64_t) {
  for (const std::int64_t classes : {1, 3, 40, 700}) {
    const Tensor labels = filled<std::int32_t>({5, 7}, [&](std::int64_t i) { return i * 5 % classes; });
    CHECK(same_bits(one_hot<T>(on_gpu(labels), classes), one_hot<T>(labels, classes)));
  }
}

TEST_CASE("an index out of range: the CPU's message at the next wait, zero read, nothing written") {
  const Tensor x = counting<float>({3, 4});
  const auto there = on_gpu(x);
  const Tensor bad = tensor<std::int64_t>({0, 3, 1});
  const std::string expected = message_of([&] { static_cast<void>(take(x, bad, 0)); });
  REQUIRE(contains(expected, "take: index 3 is out of range for axis 0 of extent 3"));

  auto rows = take(there, on_gpu(bad), 0);
  CHECK(message_of([&] { static_cast<void>(rows.to<Cpu>()); }) == expected);
  Tensor zeroed = take(x, tensor<std::int64_t>({0, 0, 1}), 0);
  zeroed.at(1, all) = 0.f;
  CHECK(same_bits(rows, zeroed));  // the error is gone once it is thrown

  const Tensor bad_places = tensor<std::int64_t>({{0, -5, 1, 2}});
  const auto gathered = gather(there, 1, on_gpu(bad_places));
  CHECK(message_of([&] { synchronize<Cuda<0>>(); }) ==
        message_of([&] { static_cast<void>(gather(x, 1, bad_places)); }));
  CHECK(gathered.to<Cpu>()(0, 1) == 0.f);

  const Tensor bad_rows = tensor<std::int64_t>({{7}, {1}});
  const Tensor source = full<float>({2, 4}, 5.f);
  const auto written = scatter_add(there, 0, on_gpu(bad_rows), on_gpu(source));
  CHECK(message_of([&] { static_cast<void>(written.to<Cpu>()); }) ==
        message_of([&] { static_cast<void>(scatter_add(x, 0, bad_rows, source)); }));
  CHECK(same_bits(written, scatter_add(x, 0, tensor<std::int64_t>({{1}}), full<float>({1, 4}, 5.f))));

  const Tensor labels = tensor<std::int64_t>({0, -1});
  const auto hot = one_hot(on_gpu(labels), 3);
  CHECK(message_of([&] { static_cast<void>(hot.to<Cpu>()); }) == message_of([&] { static_cast<void>(one_hot(labels, 3)); }));
  CHECK(same_bits(hot, tensor({{1.f, 0.f, 0.f}, {0.f, 0.f, 0.f}})));
  const auto loss = nll_loss(on_gpu(zeros<float>({2, 3})), on_gpu(labels));
  CHECK(contains(message_of([&] { static_cast<void>(loss.to<Cpu>()); }), "nll_loss: label -1 at position 1"));
}

TEST_CASE("an index out of range in a long line, which is sorted") {
  const Tensor x = zeros<float>({6});
  const Tensor index = filled<std::int64_t>({100}, [](std::int64_t i) { return i == 40 ? 6 : i % 6; });
  const Tensor source = filled<float>({100}, [](std::int64_t i) { return i == 40 ? 1000.f : 1.f; });
  const auto found = scatter_add(on_gpu(x), 0, on_gpu(index), on_gpu(source));
  CHECK(contains(message_of([&] { static_cast<void>(found.to<Cpu>()); }), "scatter_add: index 6 is out of range for axis 0"));
  CHECK(same_bits(found, filled<float>({6}, [](std::int64_t i) { return i == 4 ? 15.f : i == 5 ? 16.f : 17.f; })));
}

TEST_CASE("nothing to select, and nothing to select from") {
  const auto x = on_gpu(counting<float>({3, 4}));
  const auto none = zeros<std::int64_t>({0}, gpu<0>);
  CHECK(take(x, none, 1).shape() == Shape{3, 0});
  CHECK(gather(x, 0, zeros<std::int64_t>({0, 4}, gpu<0>)).shape() == Shape{0, 4});
  CHECK(same_bits(scatter(x, 0, zeros<std::int64_t>({0, 1}, gpu<0>), zeros<float>({0, 4}, gpu<0>)), counting<float>({3, 4})));
  CHECK(one_hot(none, 3).shape() == Shape{0, 3});
  const auto hollow = zeros<float>({3, 0}, gpu<0>);
  CHECK(take(hollow, zeros<std::int64_t>({2}, gpu<0>), 0).shape() == Shape{2, 0});
  const auto missing = take(hollow, zeros<std::int64_t>({2}, gpu<0>), 1);
  CHECK_THROWS_AS(synchronize<Cuda<0>>(), IndexError);
  CHECK(missing.shape() == Shape{3, 2});
}

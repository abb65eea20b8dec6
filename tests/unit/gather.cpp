// SPDX-License-Identifier: Apache-2.0
// Reading and writing by index, against loops over plain arrays: take, gather, scatter, scatter_add, one_hot.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <situ/situ.hpp>

#include "../reference.hpp"

using namespace situ;
using reference::array_of;
using reference::contains;
using reference::Indices;
using reference::layouts;
using reference::make_array;
using reference::message_of;

namespace {

/// Positions without a pattern in an axis, every second one counted from its end.
template <class I>
Tensor<I> positions(const Indices& shape, std::int64_t extent) {
  std::vector<I> values;
  std::uint32_t state = 7;
  reference::for_each_index(shape, [&](const Indices&) {
    state = state * 1664525u + 1013904223u;
    const std::int64_t position = (state >> 8) % extent;
    values.push_back(static_cast<I>(std::is_signed_v<I> && values.size() % 2 == 1 ? position - extent : position));
  });
  return from_span<I>(values, reference::shape_of(shape));
}

std::int64_t from_front(std::int64_t position, std::int64_t extent) { return position < 0 ? position + extent : position; }

const std::vector<Indices> shapes{{5}, {1}, {3, 5}, {5, 1}, {2, 3, 4}, {1, 7, 1}, {2, 1, 3, 5}};

}  // namespace

TEST_CASE_TEMPLATE("take", T, bool, uint8_t, int64_t, float16, float, double) {
  for (const Indices& shape : shapes) {
    for (const Tensor<T>& x : layouts<T>(shape)) {
      const auto a = array_of(x);
      for (int axis = -x.rank(); axis < x.rank(); ++axis) {
        const auto k = static_cast<std::size_t>(axis < 0 ? axis + x.rank() : axis);
        for (const Indices& index_shape : {Indices{}, Indices{4}, Indices{2, 3}, Indices{0}}) {
          const Tensor<int32_t> index = positions<int32_t>(index_shape, shape[k]);
          const auto places = array_of(index);
          Indices taken(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(k));
          taken.insert(taken.end(), index_shape.begin(), index_shape.end());
          taken.insert(taken.end(), shape.begin() + static_cast<std::ptrdiff_t>(k) + 1, shape.end());
          const auto expected = make_array<compute_t<T>>(taken, [&](const Indices& i) {
            const auto middle = i.begin() + static_cast<std::ptrdiff_t>(k);
            const auto behind = middle + static_cast<std::ptrdiff_t>(index_shape.size());
            Indices from(i.begin(), middle);
            from.push_back(from_front(places(Indices(middle, behind)), shape[k]));
            from.insert(from.end(), behind, i.end());
            return a(from);
          });
          CHECK(array_of(take(x, index, axis)) == expected);
        }
      }
    }
  }
}

TEST_CASE("take from any layout of index, by every integer, over several threads") {
  const Tensor x = reference::counting<float>({11, 3});
  const Tensor index = positions<int64_t>({4, 5}, 11);
  CHECK(array_of(take(x, transpose(index), 0)) == array_of(take(x, contiguous(transpose(index)), 0)));
  CHECK(array_of(take(x, cast<int32_t>(index), 0)) == array_of(take(x, index, 0)));
  CHECK(array_of(take(x, tensor<uint8_t>({10, 0}), 0)) == array_of(take(x, tensor({10, 0}), 0)));
  CHECK(array_of(take(x + 1, index, 0)) == array_of(eval(take(x, index, 0) + 1)));
  const Tensor table = reference::counting<double>({1000, 64});
  const Tensor rows = positions<int64_t>({3000}, 1000);
  const Tensor taken = take(table, rows, 0);
  bool equal = true;
  for (std::int64_t i = 0; i < 3000; ++i) {
    for (std::int64_t j = 0; j < 64; ++j) equal = equal && taken(i, j) == table(rows(i), j);
  }
  CHECK(equal);
}

TEST_CASE_TEMPLATE("gather", T, bool, int32_t, bfloat16, double) {
  for (const Indices& shape : shapes) {
    for (const Tensor<T>& x : layouts<T>(shape)) {
      const auto a = array_of(x);
      for (int axis = -x.rank(); axis < x.rank(); ++axis) {
        const auto k = static_cast<std::size_t>(axis < 0 ? axis + x.rank() : axis);
        for (const std::int64_t count : {0, 1, 3}) {
          Indices wide = shape;
          wide[k] = count;
          Indices narrow(shape.size(), 1);
          narrow[k] = count;
          for (const Indices& index_shape : {wide, narrow}) {
            for (const Tensor<int64_t>& index : {positions<int64_t>(index_shape, shape[k]),
                                                 flip(positions<int64_t>(index_shape, shape[k]))}) {
              const auto places = array_of(index);
              const auto expected = make_array<compute_t<T>>(wide, [&](Indices i) {
                Indices at = i;
                for (std::size_t j = 0; j < at.size(); ++j) at[j] = index_shape[j] == 1 ? 0 : at[j];
                i[k] = from_front(places(at), shape[k]);
                return a(i);
              });
              CHECK(array_of(gather(x, axis, index)) == expected);
            }
          }
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("scatter replaces, the last write winning, and scatter_add adds in order", T, uint8_t, int64_t, float16,
                   float, double) {
  using C = compute_t<T>;
  for (const Indices& shape : shapes) {
    for (const Tensor<T>& x : layouts<T>(shape)) {
      const auto before = array_of(x);
      for (int axis = -x.rank(); axis < x.rank(); ++axis) {
        const auto k = static_cast<std::size_t>(axis < 0 ? axis + x.rank() : axis);
        for (const std::int64_t count : {0, 1, 6}) {
          Indices wide = shape;
          wide[k] = count;
          Indices narrow(shape.size(), 1);
          narrow[k] = count;
          for (const Indices& index_shape : {wide, narrow}) {
            const Tensor index = positions<int32_t>(index_shape, shape[k]);
            const auto places = array_of(index);
            const Tensor<T> source = flip(reference::counting<T>(reference::shape_of(wide)));
            const auto values = array_of(source);
            auto replaced = before;
            auto added = before;
            reference::for_each_index(wide, [&](const Indices& i) {  // row-major: the axis in its order for each line
              Indices at = i;
              for (std::size_t j = 0; j < at.size(); ++j) at[j] = index_shape[j] == 1 ? 0 : at[j];
              Indices to = i;
              to[k] = from_front(places(at), shape[k]);
              replaced.set(to, values(i));
              added.set(to, static_cast<C>(static_cast<T>(static_cast<C>(added(to) + values(i)))));
            });
            CHECK(array_of(scatter(x, axis, index, source)) == replaced);
            CHECK(array_of(scatter_add(x, axis, index, source)) == added);
            CHECK(array_of(x) == before);
          }
        }
      }
    }
  }
}

TEST_CASE("scatter broadcasts its source, and writes in place what nothing else holds") {
  const Tensor index = positions<int64_t>({1000}, 10);
  Tensor counts = scatter_add(zeros<int64_t>({10}), 0, index, tensor<int64_t>(1));
  std::vector<std::int64_t> expected(10, 0);
  for (const std::int64_t i : index) ++expected[static_cast<std::size_t>(from_front(i, 10))];
  CHECK(array_of(counts).values == expected);
  const auto* place = counts.data();
  counts = scatter(std::move(counts), 0, tensor({0}), tensor<int64_t>({5}));
  CHECK(counts.data() == place);
  CHECK(counts(0) == 5);
  const Tensor kept = counts;
  counts = scatter(std::move(counts), 0, tensor({0}), tensor<int64_t>({6}));
  CHECK(kept(0) == 5);
  CHECK(counts(0) == 6);
  Tensor same = tensor({2, 1, 0});
  same = scatter(std::move(same), 0, same, same);
  CHECK(array_of(same).values == std::vector<int32_t>{0, 1, 2});
}

TEST_CASE("many lines are shared by threads without changing sums") {
  const Tensor index = positions<int32_t>({40, 3000}, 7);
  const Tensor source = eval(cast<float>(positions<int32_t>({40, 3000}, 1000)) * 0.001f);
  for (const int axis : {0, 1}) {
    const Tensor x = zeros<float>(axis == 0 ? Shape{7, 3000} : Shape{40, 7});
    const int before = num_threads();
    set_num_threads(1);
    const Tensor one = scatter_add(x, axis, index, source);
    set_num_threads(4);
    const Tensor four = scatter_add(x, axis, index, source);
    set_num_threads(before);
    CHECK(array_of(one) == array_of(four));
  }
}

TEST_CASE("an index out of range names its value, the axis and the extent") {
  const Tensor x = zeros<float>({2, 3});
  for (const std::string& message : {message_of([&] { (void)take(x, tensor({0, 3}), 1); }),
                                     message_of([&] { (void)gather(x, 1, tensor({{0}, {3}})); }),
                                     message_of([&] { (void)scatter(x, 1, tensor({{0}, {3}}), tensor({{1.f}})); }),
                                     message_of([&] { (void)scatter_add(x, -1, tensor({{0}, {3}}), tensor({{1.f}})); })}) {
    CHECK(contains(message, "index 3 is out of range for axis 1 of extent 3"));
  }
  CHECK_THROWS_AS((void)take(x, tensor({-4}), 1), IndexError);
  CHECK_THROWS_AS((void)take(x, tensor({0}), 2), IndexError);
  CHECK_THROWS_AS((void)take(zeros<float>({0, 3}), tensor({0}), 0), IndexError);
  CHECK_THROWS_AS((void)take(zeros<float>({3, 0}), tensor({3}), 0), IndexError);
  CHECK(take(zeros<float>({3, 0}), tensor({2, 2}), 0).shape() == Shape{2, 0});
  CHECK_THROWS_AS((void)take(tensor(1.f), tensor({0}), 0), IndexError);
}

TEST_CASE("gather and scatter reject shapes that do not fit") {
  const Tensor x = zeros<float>({2, 3});
  CHECK(contains(message_of([&] { (void)gather(x, 0, tensor({0})); }), "indices of the same rank"));
  CHECK_THROWS_AS((void)gather(x, 0, tensor({{0, 1}})), ShapeError);
  CHECK_THROWS_AS((void)scatter(x, 0, tensor({{0, 1}}), tensor({{1.f}})), ShapeError);
  CHECK_THROWS_AS((void)scatter(x, 0, tensor({{0}}), zeros<float>({2, 3})), ShapeError);
}

TEST_CASE_TEMPLATE("one_hot", T, bool, uint8_t, int32_t, float16, float) {
  for (const Indices& shape : {Indices{}, Indices{6}, Indices{2, 3}, Indices{0}}) {
    for (const std::int64_t classes : {1, 4}) {
      const Tensor labels = eval(positions<int64_t>(shape, classes) % classes);  // without negative ones
      const auto places = array_of(labels);
      Indices wide = shape;
      wide.push_back(classes);
      CHECK(array_of(one_hot<T>(labels, classes)) == make_array<compute_t<T>>(wide, [&](Indices i) {
              const std::int64_t label = i.back();
              i.pop_back();
              return places(i) == label ? 1 : 0;
            }));
    }
  }
  static_assert(std::same_as<decltype(one_hot(tensor({1}), 2)), Tensor<float, Cpu>>);
  CHECK(contains(message_of([] { (void)one_hot(tensor({0, 4}), 4); }),
                 "label 4 at position 1 is not one of 4 classes"));
  CHECK_THROWS_AS((void)one_hot(tensor({-1}), 4), IndexError);
  CHECK_THROWS_AS((void)one_hot(tensor({0}), 0), IndexError);
  CHECK_THROWS_AS((void)one_hot(tensor({0}), -1), ShapeError);
}

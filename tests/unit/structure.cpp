// SPDX-License-Identifier: Apache-2.0
// Views, against index arithmetic on plain arrays, over awkward shapes and layouts; what shares storage and what
// copies.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <situ/situ.hpp>

#include "../reference.hpp"

using namespace situ;
using reference::array_of;
using reference::awkward_shapes;
using reference::contains;
using reference::Indices;
using reference::layouts;
using reference::make_array;
using reference::message_of;

namespace {

/// Calls `f(tensor, array)` for tensors of many shapes and layouts.
template <class T, class F>
void for_each_tensor(F&& f) {
  for (const Indices& shape : awkward_shapes()) {
    for (const Tensor<T>& x : layouts<T>(shape)) f(x, array_of(x));
  }
}

/// Whether two tensors begin at the same element of one storage.
bool same_place(const Tensor<float>& a, const Tensor<float>& b) { return a.data() == b.data(); }

}  // namespace

TEST_CASE_TEMPLATE("reshape and flatten keep row-major order", T, bool, uint8_t, float16, float, double) {
  for_each_tensor<T>([](const Tensor<T>& x, const auto& a) {
    const std::int64_t count = x.size();
    CHECK(array_of(reshape(x, Shape{count})).values == a.values);
    CHECK(array_of(reshape(x, {1, count, 1})).values == a.values);
    CHECK(array_of(flatten(x)).values == a.values);
    CHECK(flatten(x).shape() == Shape{count});
    if (count > 0) CHECK(array_of(reshape(x, {-1})).values == a.values);
    if (count % 2 == 0) CHECK(array_of(reshape(x, {2, count / 2})).values == a.values);
    if (count % 3 == 0 && count > 0) CHECK(array_of(reshape(x, {-1, 3})).values == a.values);
    CHECK(array_of(reshape(reshape(x, Shape{count}), x.shape())) == a);
    CHECK(array_of(contiguous(x)) == a);
    CHECK(contiguous(x).layout().is_row_major());
    if (x.rank() > 1) {
      const Tensor<T> y = flatten(x, 1);
      CHECK(y.rank() == 2);
      CHECK(y.extent(0) == x.extent(0));
      CHECK(array_of(y).values == a.values);
      CHECK(array_of(flatten(x, 0, -2)).values == a.values);
      CHECK(flatten(x, 0, -2).extent(-1) == x.extent(-1));
    }
  });
}

TEST_CASE("reshape copies only when it must") {
  const Tensor x = reference::counting<float>({4, 6});
  CHECK(same_place(reshape(x, {2, 2, 3, 2}), x));
  CHECK(same_place(flatten(x), x));
  CHECK(same_place(contiguous(x), x));
  const Tensor columns = x(all, range(0, 3));
  CHECK(same_place(reshape(columns, {2, 2, 3}), x));   // splits an axis
  CHECK(same_place(reshape(columns, {2, 2, 3, 1}), x));
  CHECK_FALSE(same_place(reshape(columns, {12}), x));        // merges axes with a gap between them
  CHECK(same_place(reshape(transpose(x), {3, 2, 4}), x));
  CHECK_FALSE(same_place(reshape(transpose(x), {24}), x));
  CHECK(same_place(reshape(broadcast_to(x(0, all), {5, 6}), {5, 2, 3}), x));
}

TEST_CASE("reshape takes extents of any integer type, in braces or in a range, one of them -1") {
  const Tensor<float> x = arange<float>(12);
  const std::vector<std::int64_t> extents{3, -1};
  const std::vector<float> values(12);
  CHECK(reshape(x, {values.size() / 2, 2}).shape() == Shape{6, 2});
  CHECK(reshape(x, {values.size() / 4, -1}).shape() == Shape{3, 4});
  CHECK(reshape(x, extents).shape() == Shape{3, 4});
  CHECK(reshape(x + 1, std::span(extents)).shape() == Shape{3, 4});
  CHECK(reshape(x, std::vector<unsigned>{2, 6}).shape() == Shape{2, 6});
  CHECK(reshape(x, zeros<int>({4, 3}).shape()).shape() == Shape{4, 3});
  CHECK(reshape(x(range(0, 1)), {}).rank() == 0);
  CHECK_THROWS_AS(static_cast<void>(reshape(x, std::vector<int>{-1, -1})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(reshape(x, std::vector<int>(9, 1))), ShapeError);
}

TEST_CASE("an axis of a shape is of any integer type with a sign, as other axes are") {
  const Shape shape{2, 3, 4};
  const std::int64_t last = shape[0] * 2 - 5;
  static_assert(noexcept(shape[last]));
  CHECK(shape[last] == 4);
  CHECK(shape[-3] == 2);
}

TEST_CASE("reshape names both shapes and counts") {
  const Tensor x = reference::counting<float>({2, 3});
  const std::string wrong = message_of([&] { (void)reshape(x, {4, 2}); });
  for (const char* part : {"reshape", "(2, 3)", "6 elements", "(4, 2)", "8"}) CHECK(contains(wrong, part));
  CHECK(contains(message_of([&] { (void)reshape(x, {-1, 4}); }), "axis 0"));
  CHECK(contains(message_of([&] { (void)reshape(x, {-1, -1}); }), "only one extent"));
  CHECK_THROWS_AS((void)reshape(x, {-2, -3}), ShapeError);
  CHECK_THROWS_AS((void)reshape(zeros<float>({0, 3}), {0, -1}), ShapeError);
  CHECK_THROWS_AS((void)reshape(x, Shape{5}), ShapeError);
  CHECK(reshape(zeros<float>({0, 3}), {-1, 3}).shape() == Shape{0, 3});
  CHECK(reshape(tensor(1.f), {1, 1}).shape() == Shape{1, 1});
  CHECK(reshape(tensor({{1.f}}), {}).rank() == 0);
  CHECK(flatten(tensor(1.f)).shape() == Shape{1});
  CHECK_THROWS_AS((void)flatten(x, 1, 0), IndexError);
  CHECK_THROWS_AS((void)flatten(x, 2), IndexError);
}

TEST_CASE_TEMPLATE("permute and transpose", T, bool, int32_t, bfloat16, double) {
  for_each_tensor<T>([](const Tensor<T>& x, const auto& a) {
    Indices axes(a.shape.size());
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<std::int64_t>(i);
    do {
      Indices shape;
      for (const std::int64_t axis : axes) shape.push_back(a.shape[static_cast<std::size_t>(axis)]);
      const auto expected = make_array<compute_t<T>>(shape, [&](const Indices& i) {
        Indices from(i.size());
        for (std::size_t k = 0; k < i.size(); ++k) from[static_cast<std::size_t>(axes[k])] = i[k];
        return a(from);
      });
      const Tensor<T> y = permute(x, axes);
      CHECK(y.data() == x.data());
      CHECK(array_of(y) == expected);
    } while (a.shape.size() < 4 && std::next_permutation(axes.begin(), axes.end()));
    if (a.shape.size() >= 2) {
      Indices shape = a.shape;
      std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
      const auto swapped = [&](Indices i) {
        std::swap(i[i.size() - 1], i[i.size() - 2]);
        return a(i);
      };
      CHECK(array_of(transpose(x)) == make_array<compute_t<T>>(shape, swapped));
      CHECK(array_of(transpose(transpose(x, 0, -1), -1, 0)) == a);
    }
  });
}

TEST_CASE("permute and transpose reject axes") {
  const Tensor x = reference::counting<float>({2, 3});
  CHECK(array_of(permute(x, {-1, 0})) == array_of(transpose(x)));
  CHECK(contains(message_of([&] { (void)permute(x, {0}); }), "1 axis for shape (2, 3) of rank 2"));
  CHECK(contains(message_of([&] { (void)permute(x, {1, -1}); }), "axis -1 is named twice"));
  CHECK_THROWS_AS((void)permute(x, {0, 2}), IndexError);
  CHECK_THROWS_AS((void)transpose(tensor({1.f, 2.f})), IndexError);
  CHECK_THROWS_AS((void)transpose(x, 0, 2), IndexError);
}

TEST_CASE_TEMPLATE("squeeze, unsqueeze, broadcast_to, flip", T, uint8_t, float) {
  for_each_tensor<T>([](const Tensor<T>& x, const auto& a) {
    Indices squeezed;
    for (const std::int64_t extent : a.shape) {
      if (extent != 1) squeezed.push_back(extent);
    }
    CHECK(array_of(squeeze(x)) == make_array<compute_t<T>>(squeezed, [&, n = std::size_t{0}](const Indices&) mutable {
            return a.values[n++];
          }));
    const int rank = x.rank();
    for (int axis = -rank - 1; axis <= rank; ++axis) {
      const Tensor<T> y = unsqueeze(x, axis);
      Indices shape = a.shape;
      shape.insert(shape.begin() + (axis < 0 ? axis + rank + 1 : axis), 1);
      CHECK(reference::index_of(y.shape()) == shape);
      CHECK(array_of(y).values == a.values);
      CHECK(array_of(squeeze(y, axis)) == a);
      CHECK(y.data() == x.data());
    }
    for (int axis = -rank; axis < rank; ++axis) {
      const auto k = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
      const auto expected = make_array<compute_t<T>>(a.shape, [&](Indices i) {
        i[k] = a.shape[k] - 1 - i[k];
        return a(i);
      });
      CHECK(array_of(flip(x, axis)) == expected);
      CHECK(array_of(contiguous(flip(x, axis))) == expected);
    }
    CHECK(array_of(flip(x)).values == std::vector<compute_t<T>>(a.values.rbegin(), a.values.rend()));
    Indices wide = a.shape;
    for (std::int64_t& extent : wide) extent = extent == 1 ? 3 : extent;
    wide.insert(wide.begin(), 2);
    const auto stretched = make_array<compute_t<T>>(wide, [&](const Indices& i) {
      Indices from(i.begin() + 1, i.end());
      for (std::size_t k = 0; k < from.size(); ++k) from[k] = a.shape[k] == 1 ? 0 : from[k];
      return a(from);
    });
    CHECK(array_of(broadcast_to(x, reference::shape_of(wide))) == stretched);
  });
}

TEST_CASE("several axes at once") {
  const Tensor x = reshape(arange(6), {1, 2, 3, 1});
  CHECK(squeeze(x, {0, -1}).shape() == Shape{2, 3});
  CHECK(squeeze(x, {3}).shape() == Shape{1, 2, 3});
  CHECK(unsqueeze(squeeze(x), {0, -1}).shape() == x.shape());
  CHECK(unsqueeze(squeeze(x), {1, 2, 4}).shape() == Shape{2, 1, 1, 3, 1});
  CHECK(unsqueeze(squeeze(x), {}).shape() == Shape{2, 3});
  CHECK(array_of(flip(squeeze(x), {0, 1})) == array_of(flip(squeeze(x))));
  CHECK(array_of(flip(x, {1, -1})) == array_of(flip(x, 1)));
  CHECK_THROWS_AS((void)squeeze(x, {0, 1}), ShapeError);
  CHECK_THROWS_AS((void)squeeze(x, {0, -4}), IndexError);
  CHECK_THROWS_AS((void)unsqueeze(x, {0, 6}), IndexError);
  CHECK_THROWS_AS((void)unsqueeze(x, {0, 0}), IndexError);
  CHECK_THROWS_AS((void)unsqueeze(x, {0, 1, 2, 3, 4}), ShapeError);
  CHECK_THROWS_AS((void)flip(x, {0, 4}), IndexError);
}

TEST_CASE("views reject what does not fit") {
  const Tensor x = reference::counting<float>({2, 3});
  CHECK(contains(message_of([&] { (void)squeeze(x, 1); }), "extent 3"));
  CHECK_THROWS_AS((void)squeeze(x, 2), IndexError);
  CHECK_THROWS_AS((void)unsqueeze(x, 3), IndexError);
  CHECK_THROWS_AS((void)unsqueeze(zeros<float>({1, 1, 1, 1, 1, 1, 1, 1}), 0), ShapeError);
  CHECK_THROWS_AS((void)broadcast_to(x, {3, 3}), ShapeError);
  CHECK_THROWS_AS((void)broadcast_to(x, {3}), ShapeError);
  CHECK_THROWS_AS((void)flip(x, 2), IndexError);
}

TEST_CASE("diagonal reads every matrix") {
  for (const Indices& shape : {Indices{3, 4}, Indices{4, 3}, Indices{2, 5, 3}, Indices{0, 2}, Indices{1, 1}}) {
    for (const Tensor<float>& x : layouts<float>(shape)) {
      const auto a = array_of(x);
      const std::int64_t rows = shape[shape.size() - 2];
      const std::int64_t columns = shape[shape.size() - 1];
      for (std::int64_t offset = -6; offset <= 6; ++offset) {
        Indices expected(shape.begin(), shape.end() - 2);
        expected.push_back(std::max<std::int64_t>(0, std::min(rows + std::min<std::int64_t>(offset, 0),
                                                              columns - std::max<std::int64_t>(offset, 0))));
        CHECK(array_of(diagonal(x, offset)) == make_array<float>(expected, [&](Indices i) {
                const std::int64_t at = i.back();
                i.back() = at - std::min<std::int64_t>(offset, 0);
                i.push_back(at + std::max<std::int64_t>(offset, 0));
                return a(i);
              }));
      }
    }
  }
  CHECK_THROWS_AS((void)diagonal(tensor({1.f})), IndexError);
}

TEST_CASE("moveaxis and swapaxes are views") {
  const Tensor x = reference::counting<float>({2, 3, 4, 5});
  const Tensor last = moveaxis(x, 0, -1);
  CHECK(last.shape() == Shape{3, 4, 5, 2});
  CHECK(last.data() == x.data());
  CHECK(array_of(last) == array_of(permute(x, {1, 2, 3, 0})));
  CHECK(array_of(moveaxis(x, -1, 1)) == array_of(permute(x, {0, 3, 1, 2})));
  CHECK(array_of(moveaxis(x, 2, 2)) == array_of(x));
  CHECK(array_of(swapaxes(x, 1, -1)) == array_of(permute(x, {0, 3, 2, 1})));
  CHECK_THROWS_AS((void)moveaxis(x, 4, 0), IndexError);
}

TEST_CASE("broadcast_shapes") {
  const Tensor<float> x = zeros<float>({4, 1, 3}), y = zeros<float>({5, 1});
  CHECK(broadcast_shapes(x.shape(), y.shape()) == Shape{4, 5, 3});
  CHECK(broadcast_shapes(x.shape(), y.shape()) == Tensor<float>(x + y).shape());
  CHECK(broadcast_shapes({2, 1}, {}) == Shape{2, 1});
  CHECK(broadcast_shapes({0, 1}, {1}, Shape{1, 3}, Shape{2, 1, 1}) == Shape{2, 0, 3});
  CHECK_THROWS_WITH_AS(static_cast<void>(broadcast_shapes({2, 3}, {1}, Shape{4, 2, 2})),
                       "broadcast_shapes: shapes (2, 3) and (4, 2, 2) do not broadcast: axis -1 has 3 and 2; make them "
                       "equal, or one of them 1 (reshape, unsqueeze)",
                       ShapeError);
}

TEST_CASE("an axis is an int64_t, or what becomes one without a warning") {
  const std::int64_t axis = 1;
  const Tensor<float> x = reference::counting<float>(Shape{2, 3, 4});
  const Tensor<std::int64_t> ids = tensor<std::int64_t>({2, 0});
  CHECK(x.extent(axis) == 3);
  CHECK(x.stride(axis) == 4);
  CHECK(array_of(flatten(transpose(moveaxis(x, axis, 0), axis, 0), axis, 2)) == array_of(reshape(x, {2, 12})));
  CHECK(array_of(select(unsqueeze(narrow(x, axis, 1, 2), axis), axis, 0)) == array_of(x(all, range(1, 3))));
  CHECK(array_of(split(swapaxes(x, axis, 0), 3, 0)[2]) == array_of(x(all, range(2, 3))(newaxis, all, 0)));
  CHECK(array_of(take(roll(x, 1, axis), ids, axis)) == array_of(concat(x(all, range(1, 2)), x(all, range(2, 3)), axis)));
  CHECK(array_of(gather(x, axis, argsort(x, axis))) == array_of(sort(x, axis)));
  CHECK(array_of(topk(x, 3, axis).values) == array_of(flip(sort(repeat(x, 1, axis), axis), axis)));
}

TEST_CASE("repeat, diff and trace") {
  const Tensor x = reference::counting<std::int32_t>({2, 3});
  CHECK(array_of(repeat(x, 2, 0)) == make_array<std::int32_t>({4, 3}, [](const Indices& i) { return 3 * (i[0] / 2) + i[1]; }));
  CHECK(array_of(repeat(transpose(x), 3, -1)) ==
        make_array<std::int32_t>({3, 6}, [](const Indices& i) { return i[0] + 3 * (i[1] / 3); }));
  CHECK(array_of(repeat(x + 1, 2)) == make_array<std::int32_t>({12}, [](const Indices& i) { return i[0] / 2 + 1; }));
  CHECK(repeat(x, 0, 1).shape() == Shape{2, 0});
  CHECK(repeat(zeros({1, 1, 1, 1, 1, 1, 1, 2}), 3, -1).extent(-1) == 6);  // as many axes as there may be
  CHECK_THROWS_AS((void)repeat(x, -1, 0), ValueError);
  CHECK_THROWS_AS((void)repeat(x, 2, 2), IndexError);

  const Tensor squares = tensor({{1, 4, 9, 16}, {1, 8, 27, 64}});
  CHECK(array_of(diff(squares)) == array_of(tensor({{3, 5, 7}, {7, 19, 37}})));
  CHECK(array_of(diff(squares * 2, 0)) == array_of(tensor({{0, 8, 36, 96}})));
  CHECK(diff(tensor({1.f})).shape() == Shape{0});
  CHECK(diff(zeros({2, 0})).shape() == Shape{2, 0});
  CHECK(diff(tensor({std::uint8_t{3}, std::uint8_t{1}}))(0) == 254);
  CHECK_THROWS_AS((void)diff(tensor(1)), IndexError);

  static_assert(std::same_as<decltype(trace(x)), Tensor<std::int64_t, Cpu>>);
  CHECK(trace(x).item() == 4);
  CHECK(trace(x, 1).item() == 6);
  CHECK(array_of(trace(reference::counting<float>({2, 3, 3}))) == array_of(tensor({12.f, 39.f})));
  CHECK_THROWS_AS((void)trace(tensor({1.f})), IndexError);
}

TEST_CASE("isclose, allclose, array_equal") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const Tensor a = tensor({1.f, 1.f, nan, inf, inf, -inf, 3e38f, 1.f});
  const Tensor b = tensor({1.000005f, 1.0001f, nan, inf, 1.f, inf, -3e38f, inf});
  CHECK(array_of(eval(isclose(a, b))) == array_of(tensor({true, false, false, true, false, false, false, false})));
  CHECK(isclose(a, b, {.relative = 1e-3})(1));
  CHECK(isclose(a, b, {.equal_nan = true})(2));
  CHECK(!isclose(tensor({0.f}), 1e-7f)(0));  // near 0 the absolute part counts
  CHECK(isclose(tensor({0.f}), 1e-9f)(0));
  CHECK(array_of(eval(isclose(tensor({100, 101}), 100, {.relative = 0.005}))) == array_of(tensor({true, false})));
  CHECK(isclose(tensor({16777217}), tensor({16777216}), {.relative = 0, .absolute = 1})(0));  // no float between
  static_assert(std::same_as<decltype(allclose(a, b)), Tensor<bool, Cpu>>);
  CHECK(allclose(a(range(0, 1)), b(range(0, 1)) + 0.f).item());
  CHECK(!allclose(a, b).item());
  CHECK(allclose(zeros({0, 3}), ones({0, 3})).item());
  CHECK(allclose(ones({2, 3}), 1.f).item());
  CHECK_THROWS_AS((void)allclose(ones({2}), ones({3})), ShapeError);
  CHECK(array_equal(a(range(3, 8)), a(range(3, 8)) + 0.f).item());
  CHECK(!array_equal(a, a).item());  // NaN
  CHECK(!array_equal(ones({2, 1}), ones({2})).item());
  CHECK(array_equal(tensor({true}), eval(tensor({1}) == 1)).item());
}

TEST_CASE("a view is a value: writing it does not write what it was taken from") {
  const Tensor x = reference::counting<float>({2, 3});
  Tensor view = transpose(x);
  CHECK(view.data() == x.data());
  view.at(2, 1) = 50;
  CHECK(view(2, 1) == 50);
  CHECK(x(1, 2) == 5);
  Tensor wide = broadcast_to(x(0, all), {2, 3});
  wide.at(0, 0) = 7;
  CHECK(wide(0, 0) == 7);
  CHECK(wide(1, 0) == 0);
  CHECK(x(0, 0) == 0);
  Tensor base = reference::counting<float>({4});
  const Tensor kept = reshape(base, {2, 2});
  base.at(0) = 9;
  CHECK(kept(0, 0) == 0);
}

TEST_CASE("views evaluate expressions and read slots") {
  Tensor x = reference::counting<float>({2, 3});
  CHECK(array_of(transpose(x + 1)) == array_of(transpose(eval(x + 1))));
  CHECK(array_of(reshape(x.at(0, all), {3, 1})) == make_array<float>({3, 1}, [](const Indices& i) { return i[0]; }));
  CHECK(array_of(flip(x * 2, 0)) == array_of(flip(eval(x * 2), 0)));
}

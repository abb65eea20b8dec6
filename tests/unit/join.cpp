// SPDX-License-Identifier: Apache-2.0
// Putting together and taking apart, against index arithmetic on plain arrays: concat, stack, split, roll, tile, pad.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <situ/autograd.hpp>
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

template <class C>
reference::Array<C> joined(const std::vector<reference::Array<C>>& parts, std::size_t axis) {
  Indices shape = parts[0].shape;
  shape[axis] = 0;
  for (const auto& part : parts) shape[axis] += part.shape[axis];
  return make_array<C>(shape, [&](Indices i) {
    std::size_t k = 0;
    while (i[axis] >= parts[k].shape[axis]) i[axis] -= parts[k++].shape[axis];
    return parts[k](i);
  });
}

}  // namespace

TEST_CASE_TEMPLATE("concat and stack", T, bool, uint8_t, int64_t, float16, float, double) {
  using C = compute_t<T>;
  for (const Indices& shape : awkward_shapes()) {
    const std::vector<Tensor<T>> tensors = layouts<T>(shape);
    std::vector<reference::Array<C>> arrays;
    for (const Tensor<T>& x : tensors) arrays.push_back(array_of(x));
    const int rank = static_cast<int>(shape.size());
    for (int axis = -rank; axis < rank; ++axis) {
      const auto k = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
      CHECK(array_of(concat(tensors, axis)) == joined<C>(arrays, k));
      CHECK(array_of(concat(tensors[0], tensors[1], tensors[2], axis)) == joined<C>({arrays[0], arrays[1], arrays[2]}, k));
      Indices longer = shape;
      longer[k] += 2;
      const Tensor<T> other = reference::counting<T>(reference::shape_of(longer));
      CHECK(array_of(concat(other, tensors[1], axis)) == joined<C>({array_of(other), arrays[1]}, k));
    }
    for (int axis = -rank - 1; axis <= rank; ++axis) {
      const auto k = static_cast<std::size_t>(axis < 0 ? axis + rank + 1 : axis);
      Indices stacked = shape;
      stacked.insert(stacked.begin() + static_cast<std::ptrdiff_t>(k), static_cast<std::int64_t>(tensors.size()));
      CHECK(array_of(stack(tensors, axis)) == make_array<C>(stacked, [&](Indices i) {
              const std::int64_t from = i[k];
              i.erase(i.begin() + static_cast<std::ptrdiff_t>(k));
              return arrays[static_cast<std::size_t>(from)](i);
            }));
    }
  }
}

TEST_CASE("concat and stack take expressions, slots, spans and the first axis when none is given") {
  Tensor x = reference::counting<float>({2, 3});
  CHECK(array_of(concat(x, x * 2)) == joined<float>({array_of(x), array_of(eval(x * 2))}, 0));
  CHECK(array_of(concat(x, x.at(range(0, 1), all))) == joined<float>({array_of(x), array_of(x(range(0, 1), all))}, 0));
  CHECK(array_of(concat(x)) == array_of(x));
  CHECK(array_of(stack(x, x + 1)) == array_of(concat(unsqueeze(x, 0), unsqueeze(x + 1, 0))));
  const std::array<Tensor<float>, 2> pair{x, x};
  CHECK(array_of(concat(pair, 1)) == array_of(concat(x, x, 1)));
  CHECK(array_of(stack(std::span(pair))) == array_of(stack(x, x)));
  CHECK(array_of(concat(x.to(pinned), x.to(pinned))) == array_of(concat(x, x)));
}

TEST_CASE("concat and stack take tensors of one type in braces") {
  const Tensor<float> a = tensor({1.f, 2.f}), b = tensor({3.f, 4.f});
  CHECK(all(concat({a, b}) == concat(a, b)).item());
  CHECK(all(concat({a, b, a}, -1) == concat(a, b, a)).item());
  CHECK(all(stack({a, b}, 1) == stack(a, b, 1)).item());
  CHECK(all(stack({a}) == unsqueeze(a, 0)).item());
}

TEST_CASE("concat and stack reject operands that do not fit") {
  const Tensor x = zeros<float>({2, 3});
  const std::string message = message_of([&] { (void)concat(x, x, zeros<float>({2, 4})); });
  for (const char* part : {"concat", "operand 2", "(2, 4)", "(2, 3)", "axis 0"}) CHECK(contains(message, part));
  CHECK(contains(message_of([&] { (void)stack(x, zeros<float>({2, 4})); }), "all shapes must be equal"));
  CHECK_THROWS_AS((void)concat(x, zeros<float>({3})), ShapeError);
  CHECK_THROWS_AS((void)concat(x, x, 2), IndexError);
  CHECK_THROWS_AS((void)concat(tensor(1.f), tensor(2.f)), IndexError);
  CHECK_THROWS_AS((void)stack(x, x, 3), IndexError);
  CHECK_THROWS_AS((void)concat(std::vector<Tensor<float>>{}), ShapeError);
}

TEST_CASE_TEMPLATE("split", T, uint8_t, double) {
  for (const Indices& shape : {Indices{6}, Indices{6, 2}, Indices{1, 6, 3}, Indices{0, 6}}) {
    for (const Tensor<T>& x : layouts<T>(shape)) {
      const int axis = x.extent(0) == 6 ? 0 : 1;
      for (const std::int64_t parts : {1, 2, 3, 6}) {
        const auto pieces = split(x, parts, axis);
        CHECK(static_cast<std::int64_t>(pieces.size()) == parts);
        for (const Tensor<T>& piece : pieces) CHECK(piece.extent(axis) == 6 / parts);
        CHECK(array_of(concat(pieces, axis)) == array_of(x));
      }
      const auto pieces = split(x, {1, 0, 3, 2}, axis - x.rank());
      CHECK(pieces.size() == 4);
      CHECK(pieces[2].extent(axis) == 3);
      CHECK(array_of(concat(pieces, axis)) == array_of(x));
      CHECK(pieces[0].data() == x.data());
    }
  }
  const Tensor x = zeros<float>({6, 2});
  CHECK(contains(message_of([&] { (void)split(x, 4); }),
                 "6 positions, which do not divide into 4 equal parts; give the sizes, split(x, {2, 2, 1, 1})"));
  CHECK(contains(message_of([&] { (void)split(x, 9); }), "give the sizes, in a vector"));
  CHECK(contains(message_of([&] { (void)split(x, {2, 2}); }), "add up to 4"));
  CHECK(contains(message_of([&] { (void)split(x, {2, 5}); }), "4 are left"));
  CHECK_THROWS_AS((void)split(x, 0), ShapeError);
  CHECK_THROWS_AS((void)split(x, {-1, 7}), ShapeError);
  CHECK_THROWS_AS((void)split(x, 2, 2), IndexError);
}

TEST_CASE_TEMPLATE("roll", T, bool, int32_t, float) {
  for (const Indices& shape : awkward_shapes()) {
    for (const Tensor<T>& x : layouts<T>(shape)) {
      const auto a = array_of(x);
      for (const std::int64_t shift : {0, 1, -1, 2, 7, -19}) {
        for (int axis = 0; axis < x.rank(); ++axis) {
          const auto k = static_cast<std::size_t>(axis);
          const auto expected = make_array<compute_t<T>>(shape, [&](Indices i) {
            i[k] = ((i[k] - shift) % shape[k] + shape[k]) % shape[k];
            return a(i);
          });
          CHECK(array_of(roll(x, shift, axis)) == expected);
        }
        const std::int64_t count = x.size();
        const auto flat = make_array<compute_t<T>>(shape, [&, n = std::int64_t{0}](const Indices&) mutable {
          return a.values[static_cast<std::size_t>(((n++ - shift) % count + count) % count)];
        });
        CHECK(array_of(roll(x, shift)) == flat);
      }
    }
  }
  CHECK_THROWS_AS((void)roll(zeros<float>({2}), 1, 1), IndexError);
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();  // 1 modulo 3
  CHECK(array_of(roll(tensor({1, 2, 3}), least, 0)) == array_of(tensor({3, 1, 2})));
}

TEST_CASE_TEMPLATE("tile", T, uint8_t, float) {
  for (const Indices& shape : {Indices{}, Indices{3}, Indices{2, 3}, Indices{1, 2, 5}, Indices{0, 2}}) {
    for (const Tensor<T>& x : layouts<T>(shape)) {
      const auto a = array_of(x);
      for (const Indices& repeats : {Indices{}, Indices{1}, Indices{3}, Indices{2, 3}, Indices{5, 1, 2}, Indices{2, 0, 1}, Indices{2, 1, 3, 2}}) {
        const std::size_t rank = std::max(shape.size(), repeats.size());
        Indices from(rank - shape.size(), 1);
        from.insert(from.end(), shape.begin(), shape.end());
        Indices wide = from;
        for (std::size_t k = 0; k < repeats.size(); ++k) wide[rank - repeats.size() + k] *= repeats[k];
        const auto expected = make_array<compute_t<T>>(wide, [&](const Indices& i) {
          Indices at;
          for (std::size_t k = rank - shape.size(); k < rank; ++k) at.push_back(i[k] % from[k]);
          return a(at);
        });
        CHECK(array_of(tile(x, repeats)) == expected);
      }
    }
  }
  CHECK_THROWS_AS((void)tile(zeros<float>({2}), {-1}), ValueError);
  CHECK_THROWS_AS((void)tile(zeros<float>({4}), {std::int64_t{1} << 62}), ShapeError);
}

TEST_CASE_TEMPLATE("pad", T, bool, int64_t, bfloat16, float) {
  for (const Indices& shape : awkward_shapes()) {
    for (const Tensor<T>& x : layouts<T>(shape)) {
      const auto a = array_of(x);
      std::vector<PadWidth> widths;
      Indices wide = shape;
      for (std::size_t k = 0; k < shape.size(); ++k) {
        widths.push_back({static_cast<std::int64_t>(k % 3), static_cast<std::int64_t>((k + 1) % 2)});
        wide[k] += widths[k].before + widths[k].after;
      }
      const T value = static_cast<T>(compute_t<T>(1));
      const auto padded = [&](compute_t<T> frame) {
        return make_array<compute_t<T>>(wide, [&](Indices i) {
          for (std::size_t k = 0; k < i.size(); ++k) {
            i[k] -= widths[k].before;
            if (i[k] < 0 || i[k] >= shape[k]) return frame;
          }
          return compute_t<T>(a(i));
        });
      };
      CHECK(array_of(pad(x, widths, value)) == padded(1));
      CHECK(array_of(pad(x, widths)) == padded(0));
    }
  }
}

TEST_CASE("pad takes expressions and rejects widths that do not fit") {
  const Tensor x = reference::counting<float>({2, 3});
  CHECK(array_of(pad(x + 1, {{0, 1}, {1, 0}}, -1)) == array_of(pad(eval(x + 1), {{0, 1}, {1, 0}}, -1)));
  CHECK(contains(message_of([&] { (void)pad(x, {{1, 1}}); }), "1 widths for shape (2, 3) of rank 2"));
  CHECK(contains(message_of([&] { (void)pad(x, {{1, 1}, {0, -1}}); }), "negative"));
  CHECK_THROWS_AS((void)pad(zeros<uint8_t>({1}), {{1, 1}}, 256), ValueError);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(message_of([&] { (void)pad(tensor({1, 2}), {{most, most}}); }) ==
        "pad: 9223372036854775807 and 2 positions together do not fit in 64 bits");
  CHECK_THROWS_AS((void)pad(tensor({1, 2}), {{most / 2, most / 2}}, PadMode::edge), ShapeError);
  CHECK_THROWS_AS((void)pad(tensor({1, 2}), {{most - 2, 0}}), OutOfMemory);
}

TEST_CASE("pad by what the tensor has") {
  const auto padded = [](std::int64_t before, std::int64_t after, PadMode mode) {
    return array_of(pad(tensor({1, 2, 3}), {{before, after}}, mode)).values;
  };
  using List = std::vector<std::int32_t>;
  CHECK(padded(2, 2, PadMode::reflect) == List{3, 2, 1, 2, 3, 2, 1});
  CHECK(padded(3, 1, PadMode::symmetric) == List{3, 2, 1, 1, 2, 3, 3});
  CHECK(padded(1, 3, PadMode::wrap) == List{3, 1, 2, 3, 1, 2, 3});
  CHECK(padded(4, 1, PadMode::edge) == List{1, 1, 1, 1, 1, 2, 3, 3});
  CHECK(padded(0, 2, PadMode::reflect) == List{1, 2, 3, 2, 1});
  // two axes, one after the other, of a transposed view
  const Tensor x = transpose(tensor({{1, 3}, {2, 4}}));
  CHECK(array_of(pad(x, {{1, 0}, {0, 1}}, PadMode::edge)) == array_of(tensor({{1, 2, 2}, {1, 2, 2}, {3, 4, 4}})));
  CHECK(array_of(pad(x, {{0, 1}, {1, 1}}, PadMode::reflect)) == array_of(tensor({{2, 1, 2, 1}, {4, 3, 4, 3}, {2, 1, 2, 1}})));
  CHECK(message_of([&] { (void)pad(x, {{0, 0}, {2, 0}}, PadMode::reflect); }) ==
        "pad: a width of 2 for axis 1 of shape (2, 2) is more than this mode can read; use a value, or PadMode::edge");
  CHECK(contains(message_of([&] { (void)pad(x, {{1, 0}, {2, 0}}, PadMode::reflect); }), "axis 1 of shape (2, 2)"));
  CHECK_THROWS_AS((void)pad(x, {{0, 3}, {0, 0}}, PadMode::wrap), ShapeError);
  CHECK_THROWS_AS((void)pad(zeros({0}), {{1, 0}}, PadMode::edge), ShapeError);
  CHECK_THROWS_AS((void)pad(x, {{0, 1}}, PadMode::wrap), ShapeError);
  CHECK_THROWS_AS((void)pad(x, {{0, 1}, {-1, 0}}, PadMode::wrap), ShapeError);
  CHECK(pad(zeros({0, 2}), {{0, 0}, {1, 1}}, PadMode::wrap).shape() == Shape{0, 4});
}

TEST_CASE("narrow and select, for an axis that is known at run time") {
  const Tensor x = reshape(arange(24), {2, 3, 4});
  for (int axis = -3; axis < 3; ++axis) {
    std::vector<IndexItem> items(static_cast<std::size_t>(axis < 0 ? axis + 3 : axis), all);
    items.push_back(range(1, 2));
    CHECK(array_of(narrow(x, axis, 1, 1)) == array_of(x(items)));
    items.back() = -1;
    CHECK(array_of(select(x, axis, -1)) == array_of(x(items)));
    CHECK(narrow(x, axis, 1, 0).size() == 0);
    CHECK(narrow(x, axis, x.extent(axis), 0).size() == 0);
  }
  const Tensor inner = narrow(x, 2, 1, 2);
  CHECK(inner.data() == x.data() + 1);  // a view
  const std::vector<IndexItem> row{1, newaxis, all, range(0, 2)};
  CHECK(array_of((x + 1)(row)) == array_of((x + 1)(1, newaxis, all, range(0, 2))));
  Tensor y = x;
  y.at(std::vector<IndexItem>{all, 0}) = 0;
  CHECK(all(y(all, 0, all) == 0).item());
  CHECK(array_of(x(std::vector<IndexItem>{})) == array_of(x));
  std::vector<IndexItem> set_later(3);
  set_later[1] = 0;
  CHECK(array_of(x(set_later)) == array_of(x(all, 0, all)));
  CHECK(message_of([&] { (void)narrow(x, 1, 2, 2); }) ==
        "narrow: 2 positions from 2 on are out of range for axis 1 with extent 3 of shape (2, 3, 4)");
  CHECK_THROWS_AS((void)narrow(x, 1, -4, 1), IndexError);
  CHECK_THROWS_AS((void)narrow(x, 1, 0, -1), IndexError);
  CHECK_THROWS_AS((void)narrow(x, 3, 0, 1), IndexError);
  CHECK_THROWS_AS((void)select(x, 1, 3), IndexError);
  CHECK_THROWS_AS((void)x(std::vector<IndexItem>(17, newaxis)), IndexError);
  CHECK_THROWS_AS((void)x(std::vector<IndexItem>(4, 0)), IndexError);
}

TEST_CASE("split into an array: the same views, without a vector") {
  const Tensor<float> x = reference::counting<float>({4, 6});
  const auto [first, second, third] = split<3>(x, -1);
  CHECK(array_of(first) == array_of(x(all, range(0, 2))));
  CHECK(array_of(second) == array_of(x(all, range(2, 4))));
  CHECK(array_of(third) == array_of(split(x, 3, 1)[2]));
  CHECK(first.storage() == x.storage());
  const auto [above, below] = split<2>(x * 2.f);
  CHECK(array_of(below) == array_of(eval(x(range(2, 4), all) * 2.f)));
  CHECK(above.storage() == below.storage());
  static_assert(std::is_same_v<decltype(split<2>(x)), std::array<Tensor<float>, 2>>);

  const Variable v(x);
  const auto [left, right] = split<2>(v, 1);
  const Tensor<float> g = backward(sum(right * 3.f))[v];
  CHECK(sum(g(all, range(0, 3))).item() == 0);
  CHECK(min(g(all, range(3, 6))).item() == 3);

  CHECK(contains(message_of([&] { static_cast<void>(split<5>(x)); }), "do not divide into 5 equal parts"));
  CHECK_THROWS_AS(static_cast<void>(split<2>(x, 2)), IndexError);
}

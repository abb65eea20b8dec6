// SPDX-License-Identifier: Apache-2.0
// Conformance: operations that move elements, among them by index, and sorting.
#pragma once

#include <cstdint>
#include <utility>

#include <situ/indexing.hpp>

#include "support.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_DEFINE("structure", D, structure) {
  const Tensor<std::int32_t, D> x = counting<std::int32_t, D>({2, 3});
  CHECK(elements(reshape(transpose(x), {2, 3})) == std::vector<std::int32_t>{0, 3, 1, 4, 2, 5});
  CHECK(elements(concat(x, x + 6, 0)) == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(elements(flip(x, 1)) == std::vector<std::int32_t>{2, 1, 0, 5, 4, 3});
  CHECK_THROWS_AS(static_cast<void>(reshape(x, {4, 2})), ShapeError);

  const auto all_of_them = [](const auto& a) {
    check_same<D>(0, [](const auto& t) { return concat(t, t(all, range(0, 2)), 1); }, a);
    check_same<D>(0, [](const auto& t) { return concat(transpose(t), transpose(t), 0); }, a);
    check_same<D>(0, [](const auto& t) { return stack(t, flip(t), 1); }, a);
    check_same<D>(0, [](const auto& t) { return stack(std::vector{t, t, t}, -1); }, a);
    check_same<D>(0, [](const auto& t) { return roll(t, 2, 1); }, a);
    check_same<D>(0, [](const auto& t) { return roll(t, -7); }, a);
    check_same<D>(0, [](const auto& t) { return tile(t, {2, 3}); }, a);
    check_same<D>(0, [](const auto& t) { return pad(t, {{1, 2}, {0, 3}}); }, a);
    for (const PadMode mode : {PadMode::reflect, PadMode::symmetric, PadMode::edge, PadMode::wrap}) {
      check_same<D>(0, [=](const auto& t) { return pad(transpose(t), {{6, 1}, {0, 3}}, mode); }, a);
    }
    check_same<D>(0, [](const auto& t) { return masked_fill(t, t > 1, 7); }, a);
    check_same<D>(0, [](const auto& t) { return masked_select(t, transpose(transpose(t) > 1)); }, a);
    check_same<D>(0, [](const auto& t) { return masked_select(t, t > 1, {.size = 9}); }, a);
    check_same<D>(0, [](const auto& t) { return tril(t, 1); }, a);
    check_same<D>(0, [](const auto& t) { return triu(t, -1); }, a);
    check_same<D>(0, [](const auto& t) { return diag(t(0, all), 1); }, a);
    check_same<D>(0, [](const auto& t) { return contiguous(diagonal(t, -1)); }, a);
    check_same<D>(0, [](const auto& t) { return flatten(permute(t, {1, 0})); }, a);
    check_same<D>(0, [](const auto& t) { return concat(repeat(moveaxis(t, 0, 1), 2, 0), swapaxes(diff(repeat(t, 2, 1), 0), 0, 1), 1); }, a);
    check_same<D>(0, [](const auto& t) { return allclose(t, flip(flip(t))) && !array_equal(t, t(0, situ::all)); }, a);
    check_same<D>(0, [](const auto& t) { return contiguous(split(t, {2, 3, 2}, 1)[1]); }, a);
    check_same<D>(0, [](const auto& t) { return squeeze(unsqueeze(flip(t, 0), 1)); }, a);
  };
  all_of_them(numbers<float>({5, 7}));
  all_of_them(numbers<std::uint8_t>({5, 7}, 0, 200));
}

template <class T, class D>
void check_indexing(const Tensor<T, Cpu>& x) {
  // x has the shape (40, 9, 6)
  const Tensor<std::int64_t, Cpu> i = numbers<std::int64_t>({3, 5}, -6, 5);
  check_same<D>(0, [](const auto& a, const auto& at) { return take(a, at, 0); }, x, i);
  check_same<D>(0, [](const auto& a, const auto& at) { return take(a, at, -1); }, x, i);
  check_same<D>(0, [](const auto& a, const auto& at) { return take(transpose(a, 0, 1), at, 1); }, x, i);
  const Tensor<std::int32_t, Cpu> along = numbers<std::int32_t>({40, 4, 6}, -9, 8);
  check_same<D>(0, [](const auto& a, const auto& at) { return gather(a, 1, at); }, x, along);
  const Tensor<std::int64_t, Cpu> columns = permutation(9, Cpu{}, Generator(3))(range(0, 4));
  const Tensor<std::int64_t, Cpu> distinct = contiguous(broadcast_to(unsqueeze(columns, 1), {40, 4, 6}));
  check_same<D>(0, [](const auto& a, const auto& at) { return scatter(a, 1, at, a(all, range(2, 6), all)); }, x, distinct);
}
TEST_CASE_TEMPLATE_DEFINE("expressions and parts read like tensors", D, reads) {
  using Ints = std::vector<std::int32_t>;
  Tensor<std::int32_t, D> x = counting<std::int32_t, D>({2, 3});
  static_assert(decltype(x)::device() == D{} && decltype(x + 1)::device() == D{});
  CHECK(elements((x * 2)(all, 1)) == Ints{2, 8});
  CHECK(elements((x + x)(newaxis, 1, range(0, 2))) == Ints{6, 8});
  CHECK(elements((x == 4)(1, all)) == std::vector<bool>{false, true, false});
  CHECK(elements(x.at(1, all)(range(1, 3))) == Ints{4, 5});
  CHECK((x * 2)(all, 1).shape() == Shape{2});
  CHECK(((x * 2).extent(-1) == 3 && (x * 2).rank() == 2 && (x * 2).size() == 6));
  CHECK((x.at(1, all).extent(0) == 3 && x.at(1, all).rank() == 1 && x.at(1, all).size() == 3));
  CHECK_THROWS_AS(static_cast<void>((x * 2).extent(2)), IndexError);
  CHECK_THROWS_AS(static_cast<void>((x * 2)(2, all)), IndexError);

  CHECK(x.element(1, -1).shape() == Shape{});
  CHECK(x.element(1, -1).to(Cpu{}).item() == 5);
  CHECK((x * 2).element(1, 0).to(Cpu{}).item() == 6);
  CHECK(x.at(all, 2).element(0).to(Cpu{}).item() == 2);
  CHECK_THROWS_AS(static_cast<void>(x.element(1)), IndexError);
  CHECK_THROWS_AS(static_cast<void>(x.element(1, 3)), IndexError);
  const Tensor<std::int32_t, D> before = x.element(0, 0);
  x.at(0, all) = x.element(1, 2);
  CHECK(elements(x) == Ints{5, 5, 5, 3, 4, 5});
  CHECK(before.to(Cpu{}).item() == 0);  // a value, as any view

  CHECK((x + 1).to(Cpu{})(1, 0) == 4);
  CHECK((x + 1).copy_to(Cpu{})(1, 1) == 5);
  CHECK(x.at(1, all).to(Cpu{})(2) == 5);
  CHECK(x.at(1, all).copy_to(D{}).to(Cpu{})(2) == 5);
}

TEST_CASE_TEMPLATE_DEFINE("gather and scatter", D, indexing) {
  const Tensor<std::int32_t, D> x = counting<std::int32_t, D>({2, 3});
  CHECK(elements(take(x, tensor({std::int64_t{2}, std::int64_t{-3}}, D{}), 1)) == std::vector<std::int32_t>{2, 0, 5, 3});
  CHECK(elements(one_hot<float>(tensor({std::int64_t{1}, std::int64_t{0}}, D{}), 2)) == std::vector<float>{0, 1, 1, 0});
  check_indexing<bool, D>(eval(numbers<float>({40, 9, 6}) > 0));
  check_indexing<float16, D>(numbers<float16>({40, 9, 6}));
  check_indexing<float, D>(numbers<float>({40, 9, 6}));
  check_indexing<double, D>(numbers<double>({40, 9, 6}));
  for (const Shape& shape : {Shape{40, 9, 6}, Shape{9001}, Shape{0, 3}}) {
    const Tensor<float, Cpu> v = numbers<float>(shape);
    check_same<D>(0, [](const auto& a) { return nonzero(a > 1.f); }, v);
    check_same<D>(0, [](const auto& a) { return nonzero(a > 1.f, {.size = 500, .fill = -3}); }, v);
    check_same<D>(0, [](const auto& a) { return a(a < 0.f); }, v);
    if (shape.rank() == 3) check_same<D>(0, [](const auto& a) { return a(a(all, 0, 0) > 0.f); }, v);  // rows
  }
  Tensor<float, D> written = counting<float, D>({2, 3});
  written.at(written > 3) *= 2;
  CHECK(elements(written) == std::vector<float>{0, 1, 2, 3, 8, 10});
  // Many sources for one place: integers are exact in any order, floats are added in one order only.
  const Tensor<std::int64_t, Cpu> place = numbers<std::int64_t>({2000}, 0, 6);
  const auto add = [](const auto& at, const auto& v) { return scatter_add(ones_like(v(range(0, 7))), 0, at, v); };
  check_same<D>(0, add, place, numbers<std::int32_t>({2000}, -50, 50));
  check_same<D>(256, add, place, numbers<float>({2000}, 0.5, 1));
  const Tensor<float, D> v = numbers<float>({2000}).to(D{});
  const Tensor<std::int64_t, D> at = place.to(D{});
  CHECK(elements(add(at, v)) == elements(add(at, v)));
  check_same<D>(0, [](const auto& labels) { return one_hot<std::int32_t>(labels, 7); }, place);
}

// To the bit, in lines that are walked and in one that is sorted.
template <ScatterReduction How, class T, class D>
void check_reduced(const Tensor<T, Cpu>& x, const Tensor<std::int64_t, Cpu>& at, const Tensor<T, Cpu>& source) {
  const auto reduce = [](const auto& a, const auto& i, const auto& s) {
    return concat(scatter_reduce<How>(a, 0, i, s), scatter_reduce<How>(a, 0, i, s, IncludeSelf::no), 0);
  };
  check_same<D>(0, reduce, x, at, source);
}
template <class T, class D>
void check_reductions() {
  for (const auto& [lines, count] : {std::pair{std::int64_t{1}, std::int64_t{900}}, std::pair{std::int64_t{70}, std::int64_t{9}}}) {
    const Tensor<T, Cpu> x = numbers<T>({7, lines});
    const Tensor<std::int64_t, Cpu> at = numbers<std::int64_t>({count, lines}, -7, 6);
    const Tensor<T, Cpu> source = numbers<T>({count, lines}, -2, 2, 5);
    check_reduced<ScatterReduction::prod, T, D>(x, at, source);
    check_reduced<ScatterReduction::max, T, D>(x, at, source);
    check_reduced<ScatterReduction::mean, T, D>(x, at, source);
  }
}
TEST_CASE_TEMPLATE_DEFINE("reductions at indices, coordinates, masked_scatter", D, reductions_at_indices) {
  check_reductions<float, D>();
  check_reductions<bfloat16, D>();
  check_reductions<std::int32_t, D>();
  const Tensor<float, Cpu> x = numbers<float>({13, 5, 3});
  const Tensor<std::int64_t, Cpu> i = numbers<std::int64_t>({40}, -13, 12), j = numbers<std::int64_t>({40}, 0, 4);
  check_same<D>(0, [](const auto& a, const auto& r, const auto& c) { return a(r, c); }, x, i, j);
  check_same<D>(0, [](const auto& a, const auto& r, const auto& c) { return index_put(a, {r, c}, 1, Accumulate::yes); }, x, i, j);
  check_same<D>(0, [](const auto& a, const auto& r) { return index_add(index_copy(a, 0, r, 3), 0, r, 2); }, x, i);
  check_same<D>(0, [](const auto& a, const auto& r, const auto& c, const auto& v) { return index_put(a, {r, c}, v); }, x, i, j,
                numbers<float>({40, 3}, -2, 2, 8));
  check_same<D>(0, [](const auto& a, const auto& r, const auto& c, const auto& v) {
    return index_put(a, {r, c}, v, Accumulate::yes);
  }, x, i, j, numbers<float>({40, 1}, -2, 2, 8));
  check_same<D>(0, [](const auto& a, const auto& v) { return masked_scatter(a, a > 0.5f, v); }, x, numbers<float>({195}, 5, 6));
  const Tensor<float, D> there = x.to(D{});
  const Tensor<std::int64_t, D> rows = full<std::int64_t>({2}, 0, D{}), bad = tensor({std::int64_t{1}, std::int64_t{-6}}, D{});
  CHECK_THROWS_WITH_AS(static_cast<void>(elements(there(rows, bad))),
                       "x(rows, columns): index -6 is out of range for axis 1 of extent 5; indices are -5 to 4", IndexError);
  CHECK_THROWS_AS(static_cast<void>(elements(masked_scatter(there, there == there, zeros<float>({3}, D{})))), IndexError);
}

// A GPU reports a wrong index with the next transfer to the host, the CPU at once; both before a result can be read.
TEST_CASE_TEMPLATE_DEFINE("an index out of range is an IndexError before a result is read", D, index_errors) {
  const Tensor<float, D> x = counting<float, D>({4, 5});
  const auto indices = [](std::int64_t i) { return tensor({std::int64_t{0}, i}, D{}); };
  CHECK_THROWS_WITH_AS(static_cast<void>(elements(take(x, indices(5), 1))), doctest::Contains("5"), IndexError);
  CHECK_THROWS_AS(static_cast<void>(elements(take(x, indices(-5), 0))), IndexError);
  CHECK_THROWS_AS(static_cast<void>(elements(gather(x, 0, full<std::int64_t>({1, 5}, 4, D{})))), IndexError);
  CHECK_THROWS_AS(static_cast<void>(elements(scatter(x, 0, full<std::int64_t>({1, 5}, -9, D{}), x(range(0, 1), all)))), IndexError);
  CHECK_THROWS_AS(static_cast<void>(elements(scatter_add(x, 1, full<std::int64_t>({4, 1}, 100, D{}), x(all, range(0, 1))))), IndexError);
  CHECK_THROWS_AS(static_cast<void>(elements(one_hot<float>(indices(3), 3))), IndexError);
  CHECK_THROWS_AS(static_cast<void>(elements(cross_entropy(x, full<std::int64_t>({4}, 5, D{})))), IndexError);
  // The text is the CPU's, and after it everything is as before.
  const auto text = [](const auto& a, const auto& at) {
    try {
      static_cast<void>(elements(take(a, at, 1)));
    } catch (const IndexError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK(text(x, indices(7)) == text(x.to(Cpu{}), indices(7).to(Cpu{})));
  CHECK(elements(take(x, indices(4), 1))[1] == 4);
}

template <class T, class D>
void check_sorting(const Tensor<T, Cpu>& x) {
  for (const bool descending : {false, true}) {
    for (const int axis : {0, 1, -1}) {
      check_same<D>(0, [=](const auto& a) { return sort(a, axis, descending); }, x);
      check_same<D>(0, [=](const auto& a) { return argsort(a, axis, descending); }, x);
    }
  }
  check_same<D>(0, [](const auto& a) { return topk(a, 3, 1).values; }, x);
  check_same<D>(0, [](const auto& a) { return topk(a, 3, 1).indices; }, x);
}
TEST_CASE_TEMPLATE_DEFINE("sorting", D, sorting) {
  const Tensor<std::int32_t, D> x = counting<std::int32_t, D>({2, 3});
  CHECK(elements(sort(-x, 1)) == std::vector<std::int32_t>{-2, -1, 0, -5, -4, -3});
  CHECK(elements(topk(x, 2, 1).values) == std::vector<std::int32_t>{2, 1, 5, 4});
  check_sorting<bool, D>(eval(numbers<float>({5, 37, 3}) > 0));
  check_sorting<std::uint8_t, D>(numbers<std::uint8_t>({5, 37, 3}, 0, 200));
  check_sorting<std::int32_t, D>(numbers<std::int32_t>({5, 37, 3}, -9, 9));
  check_sorting<std::int64_t, D>(numbers<std::int64_t>({5, 37, 3}, -1e12, 1e12));
  check_sorting<float16, D>(numbers<float16>({5, 37, 3}));
  check_sorting<bfloat16, D>(numbers<bfloat16>({5, 37, 3}));
  check_sorting<double, D>(numbers<double>({5, 37, 3}));
  Tensor<float, Cpu> f = numbers<float>({5, 37, 3});
  f.at(all, 4, all) = std::numeric_limits<float>::quiet_NaN();
  f.at(all, 7, 1) = -0.f;
  f.at(all, 9, 1) = 0.f;
  f.at(2, all, 2) = std::numeric_limits<float>::infinity();
  check_sorting<float, D>(f);
  check_same<D>(0, [](const auto& a) { return sort(a); }, numbers<float>({20'000}));
  check_same<D>(0, [](const auto& a) { return argsort(a); }, numbers<std::int32_t>({20'000}, 0, 50));
  check_same<D>(0, [](const auto& a) { return sort(a, 1); }, zeros<float>({3, 0}));
}

}  // namespace conformance

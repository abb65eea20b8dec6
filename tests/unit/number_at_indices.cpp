// SPDX-License-Identifier: Apache-2.0
// One number as the source of the functions that write at indices, and a reduction that is chosen when the program runs.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <situ/autograd.hpp>
#include <situ/complex.hpp>
#include <situ/indexing.hpp>

#include "../reference.hpp"

namespace {

using namespace situ;
using reference::contains;
using reference::message_of;

template <class T>
std::vector<T> list(const Tensor<T>& x) {
  return std::vector<T>(x.begin(), x.end());
}
template <class T>
bool same(const Tensor<T>& a, const Tensor<T>& b) {
  return a.shape() == b.shape() && list(a) == list(b);
}

template <class T>
void compare_with_rank_0() {
  const Tensor<T> x = cast<T>(tensor({{1, 2, 3}, {4, 5, 6}}));
  const Tensor<T> two = full<T>({}, T(2.f));
  const Tensor at = tensor({{0, 2}, {1, 1}});
  const Tensor columns = tensor<std::int64_t>({2, 0, 2});
  CHECK(same(scatter(x, 1, at, 2), scatter(x, 1, at, two)));
  CHECK(same(scatter_add(x, 1, at, 2), scatter_add(x, 1, at, two)));
  CHECK(same(index_add(x, 1, columns, 2), index_add(x, 1, columns, two)));
  CHECK(same(index_copy(x, 1, columns, 2), index_copy(x, 1, columns, two)));
  const Tensor rows = tensor<std::int64_t>({0, 0, 1});
  for (const Accumulate how : {Accumulate::no, Accumulate::yes}) {
    CHECK(same(index_put(x, {rows, columns}, 2, how), index_put(x, {rows, columns}, two, how)));
    const std::vector<Tensor<std::int64_t>> lists{rows, columns};
    CHECK(same(index_put(x, lists, 2, how), index_put(x, lists, two, how)));
  }
  CHECK(same(scatter_reduce<ScatterReduction::prod>(x, 1, at, 2), scatter_reduce<ScatterReduction::prod>(x, 1, at, two)));
}

TEST_CASE("a number is written or added at every index, as a tensor of rank 0 is") {
  compare_with_rank_0<float>();
  compare_with_rank_0<double>();
  compare_with_rank_0<float16>();
  compare_with_rank_0<std::uint8_t>();
  compare_with_rank_0<std::int64_t>();
  CHECK(list(index_add(zeros<int>({3}), 0, tensor({0, 2, 2}), 1)) == std::vector<int>{1, 0, 2});
  CHECK(list(index_copy(ones<bool>({3}), 0, tensor({1}), false)) == std::vector<bool>{true, false, true});
  CHECK(index_add(zeros<std::complex<float>>({1}), 0, tensor({0, 0}), 1.5)(0) == std::complex<float>(3));
}

TEST_CASE("a number that the elements cannot hold is refused, and nothing changes") {
  const Tensor x = zeros<std::uint8_t>({3});
  const Tensor at = tensor({0, 1});
  CHECK(contains(message_of([&] { static_cast<void>(index_add(x, 0, at, 300)); }),
                 "index_add: the scalar 300 does not fit in uint8"));
  CHECK(contains(message_of([&] { static_cast<void>(scatter(x, 0, at, -1)); }),
                 "scatter: the scalar -1 does not fit in uint8"));
  CHECK(contains(message_of([&] { static_cast<void>(index_put(x, {at}, 256)); }),
                 "index_put: the scalar 256 does not fit in uint8"));
  CHECK(contains(message_of([&] { static_cast<void>(index_add(x, 0, tensor({3}), 1)); }), "index_add"));
  CHECK(list(x) == std::vector<std::uint8_t>{0, 0, 0});
}

TEST_CASE("the gradient passes a number that was added, and is 0 under one that was written") {
  const Variable v(tensor({1., 2., 3.}));
  const Tensor at = tensor({2, 2, 0});
  CHECK(list(backward(sum(index_add(v, 0, at, 5.)))[v]) == std::vector<double>{1, 1, 1});
  CHECK(list(backward(sum(index_copy(v, 0, at, 5.)))[v]) == std::vector<double>{0, 1, 0});
  CHECK(list(backward(sum(scatter_reduce<ScatterReduction::prod>(v, 0, at, 5.)))[v]) == std::vector<double>{5, 1, 25});
}

template <ScatterReduction How, class T>
void compare_chosen(const Tensor<T>& x, const Tensor<T>& source, IncludeSelf self) {
  const Tensor at = tensor<std::int64_t>({3, 1, 1, 0, 3});
  const ScatterReduction how = How;
  CHECK(same(scatter_reduce(x, 0, at, source, how, self), scatter_reduce<How>(x, 0, at, source, self)));
  CHECK(same(scatter_reduce(x, 0, at, T(3), how, self), scatter_reduce<How>(x, 0, at, T(3), self)));
}

TEST_CASE("a reduction that is chosen when the program runs is the one in angle brackets") {
  for (const IncludeSelf self : {IncludeSelf::yes, IncludeSelf::no}) {
    const Tensor x = tensor({1.f, -2.f, 7.f, 4.f}), y = tensor({0.5f, 3.f, -5.f, 2.f, 9.f});
    compare_chosen<ScatterReduction::sum>(x, y, self);
    compare_chosen<ScatterReduction::prod>(x, y, self);
    compare_chosen<ScatterReduction::min>(x, y, self);
    compare_chosen<ScatterReduction::max>(x, y, self);
    compare_chosen<ScatterReduction::mean>(x, y, self);
    const Tensor a = tensor<std::int64_t>({1, -2, 7, 4}), b = tensor<std::int64_t>({5, 3, -5, 2, 9});
    compare_chosen<ScatterReduction::max>(a, b, self);
    compare_chosen<ScatterReduction::mean>(a, b, self);
  }
  const Variable v(tensor({1., 2.}));
  const Variable best = scatter_reduce(v, 0, tensor({0, 1}), tensor({3., 1.}), ScatterReduction::max);
  CHECK(list(backward(sum(best))[v]) == std::vector<double>{0, 1});
  CHECK(contains(message_of([&] {
                   const Tensor none = scatter_reduce(tensor({1.f}), 0, tensor({0}), 1.f, static_cast<ScatterReduction>(9));
                 }),
                 "none of sum, prod, min, max, mean"));
}

}  // namespace

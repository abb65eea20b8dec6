// SPDX-License-Identifier: Apache-2.0
// Products against loops in long double: vectors, matrices, batches that broadcast, operands that lie in any way.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <situ/device/host_memory.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"

using namespace situ;
using reference::array_of;
using reference::contains;
using reference::Indices;
using reference::layouts;
using reference::message_of;

namespace {

/// The product by NumPy's rules, and for each element the sum of the magnitudes, which bounds the error.
struct Product {
  Indices shape;
  std::vector<long double> values;
  std::vector<long double> magnitudes;
};

template <class C>
Product naive_product(const reference::Array<C>& a, const reference::Array<C>& b) {
  Indices left = a.shape;
  Indices right = b.shape;
  if (left.size() == 1) left.insert(left.begin(), 1);
  if (right.size() == 1) right.push_back(1);
  const std::size_t rank = std::max(left.size(), right.size());
  const auto batch_extent = [&](const Indices& shape, std::size_t axis) {  // axis counted in the result
    const std::size_t missing = rank - shape.size();
    return axis < missing ? std::int64_t{1} : shape[axis - missing];
  };
  Indices full;
  for (std::size_t axis = 0; axis + 2 < rank; ++axis) {
    const std::int64_t x = batch_extent(left, axis);
    const std::int64_t y = batch_extent(right, axis);
    full.push_back(x == 1 ? y : x);
  }
  const std::int64_t k = left.back();
  full.push_back(left[left.size() - 2]);
  full.push_back(right.back());
  Product product;
  const auto element = [&](const reference::Array<C>& array, const Indices& shape, const Indices& i, std::int64_t row,
                           std::int64_t column) {
    Indices at;
    for (std::size_t axis = rank - shape.size(); axis + 2 < rank; ++axis) at.push_back(batch_extent(shape, axis) == 1 ? 0 : i[axis]);
    at.push_back(row);
    at.push_back(column);
    return static_cast<long double>(array.values[reference::Array<C>{shape, {}}.place(at)]);
  };
  reference::for_each_index(full, [&](const Indices& i) {
    long double sum = 0;
    long double magnitude = 0;
    for (std::int64_t p = 0; p < k; ++p) {
      const long double term = element(a, left, i, i[rank - 2], p) * element(b, right, i, p, i[rank - 1]);
      sum += term;
      magnitude += std::abs(term);
    }
    product.values.push_back(sum);
    product.magnitudes.push_back(magnitude);
  });
  product.shape = full;
  if (b.shape.size() == 1) product.shape.pop_back();
  if (a.shape.size() == 1) product.shape.erase(product.shape.end() - (b.shape.size() == 1 ? 1 : 2));
  return product;
}

template <class T>
void check_product(const Tensor<T>& a, const Tensor<T>& b) {
  const Tensor<T> c = matmul(a, b);
  const auto found = array_of(c);
  const Product expected = naive_product(array_of(a), array_of(b));
  CHECK(found.shape == expected.shape);
  CHECK(c.layout().is_row_major());
  REQUIRE(found.values.size() == expected.values.size());
  bool close = true;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    if constexpr (IntegerElement<T>) {
      close = close && found.values[i] == static_cast<T>(static_cast<std::int64_t>(expected.values[i]));
    } else {
      const long double unit = std::numeric_limits<compute_t<T>>::epsilon();
      const long double terms = 2 + static_cast<long double>(a.shape()[-1]);
      // 16-bit floats: a sum in float, rounded once
      const long double storage = OneOf<T, float16> ? 0x1p-11L : OneOf<T, bfloat16> ? 0x1p-8L : 0.0L;
      const long double bound = terms * unit * expected.magnitudes[i] + storage * std::abs(expected.values[i]);
      const auto value = static_cast<long double>(found.values[i]);
      const bool overflows = std::same_as<T, float16> && expected.values[i] >= 65520;
      close = close && (overflows ? std::isinf(value) : std::abs(value - expected.values[i]) <= bound);
    }
  }
  CHECK(close);
}

struct Case {
  Indices a;
  Indices b;
};
const std::vector<Case> cases{
    {{3}, {3}},          {{1}, {1}},          {{0}, {0}},          {{2, 3}, {3}},          {{3}, {3, 2}},
    {{2, 3}, {3, 5}},    {{1, 7}, {7, 1}},    {{5, 1}, {1, 4}},    {{0, 3}, {3, 2}},       {{2, 0}, {0, 3}},
    {{17, 13}, {13, 19}}, {{2, 3, 4}, {4, 5}}, {{3, 4}, {2, 4, 5}}, {{2, 3, 4}, {2, 4, 1}}, {{2, 1, 3, 4}, {3, 4, 2}},
    {{4}, {3, 4, 2}},    {{2, 3, 4}, {4}},    {{0, 2, 3}, {3, 4}}, {{1, 3, 2}, {5, 2, 3}}};

}  // namespace

TEST_CASE_TEMPLATE("matmul over ranks, batches and layouts", T, uint8_t, int32_t, int64_t, float16, bfloat16, float, double) {
  for (const Case& shapes : cases) {
    for (const Tensor<T>& a : layouts<T>(shapes.a)) {
      for (const Tensor<T>& b : layouts<T>(shapes.b)) check_product(a, b);
    }
  }
}

TEST_CASE_TEMPLATE("larger products", T, int32_t, float, double) {
  const std::int64_t depth = internal::memory::under_address_sanitizer ? 20 : 90;  // for the time of the reference
  const Tensor a = eval(reference::counting<T>({70, depth}) - static_cast<T>(48));
  const Tensor b = eval(reference::counting<T>({depth, 65}) - static_cast<T>(48));
  check_product(a, b);
  check_product(transpose(contiguous(transpose(a))), b);
  check_product(a, transpose(contiguous(transpose(b))));
  check_product(flip(a), flip(b));
  check_product(a(range(0, 70, 3), all), b(all, range(0, 65, 2)));
}

TEST_CASE("integer products wrap") {
  const Tensor a = tensor<uint8_t>({{200, 100}});
  const Tensor b = tensor<uint8_t>({{3}, {2}});
  CHECK(matmul(a, b)(0, 0) == static_cast<uint8_t>(800));
  const Tensor big = full<int64_t>({1, 2}, std::int64_t{1} << 62);
  CHECK(matmul(big, tensor<int64_t>({{2}, {2}}))(0, 0) == 0);
}

TEST_CASE("matmul evaluates expressions and does not change its operands") {
  const Tensor x = reference::counting<double>({3, 4});
  CHECK(array_of(matmul(x + 1, transpose(x) * 2)) == array_of(matmul(eval(x + 1), eval(transpose(x) * 2))));
  CHECK(array_of(x) == array_of(reference::counting<double>({3, 4})));
  CHECK(array_of(matmul(x.to(pinned), transpose(x).to(pinned))) == array_of(matmul(x, transpose(x))));
}

TEST_CASE("shapes that do not fit are named") {
  const Tensor x = zeros<float>({2, 3});
  const std::string message = message_of([&] { (void)matmul(x, zeros<float>({4, 5})); });
  for (const char* part : {"matmul", "(2, 3)", "(4, 5)", "inner extents are 3 and 4"}) CHECK(contains(message, part));
  CHECK(contains(message_of([&] { (void)matmul(zeros<float>({2, 2, 3}), zeros<float>({3, 3, 4})); }), "do not broadcast"));
  CHECK(contains(message_of([&] { (void)matmul(x, tensor(1.f)); }), "rank 0"));
  CHECK_THROWS_AS((void)matmul(zeros<float>({3}), zeros<float>({4})), ShapeError);
  CHECK(contains(message_of([&] { (void)dot(x, x); }), "two vectors of one length"));
  CHECK_THROWS_AS((void)dot(zeros<float>({3}), zeros<float>({4})), ShapeError);
  CHECK_THROWS_AS((void)outer(x, zeros<float>({4})), ShapeError);
}

TEST_CASE_TEMPLATE("dot and outer", T, uint8_t, int64_t, float16, float) {
  const Tensor a = tensor<T>({1, 2, 3});
  const Tensor b = tensor<T>({4, 0, 5});
  CHECK(dot(a, b).rank() == 0);
  CHECK(static_cast<double>(static_cast<compute_t<T>>(dot(a, b).item())) == 19);
  CHECK(array_of(outer(a, b(range(0, 2)))) == array_of(tensor<T>({{4, 0}, {8, 0}, {12, 0}})));
  CHECK(array_of(outer(flip(a), b + b)) == array_of(tensor<T>({{24, 0, 30}, {16, 0, 20}, {8, 0, 10}})));
  CHECK(outer(a, zeros<T>({0})).shape() == Shape{3, 0});
}

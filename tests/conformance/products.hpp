// SPDX-License-Identifier: Apache-2.0
// Conformance: products, and random numbers.
#pragma once

#include <situ/einsum.hpp>

#include "support.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_DEFINE("products", D, products) {
  const Tensor<float, D> a = counting<float, D>({5, 7});
  const Tensor<float, D> b = counting<float, D>({7, 3});
  const std::vector<float> c = elements(matmul(a, b));
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      float total = 0;
      for (std::size_t k = 0; k < 7; ++k) total += static_cast<float>((i * 7 + k) * (k * 3 + j));
      CHECK(c[i * 3 + j] == total);
    }
  }
  CHECK(elements(matmul(transpose(b), transpose(a))) == elements(transpose(matmul(a, b))));
  CHECK_THROWS_AS(static_cast<void>(matmul(a, a)), ShapeError);
}

/// Products of all forms. Operands are small integers, so that every element type is exact in any order of adding up.
template <class T, class D>
void check_products() {
  const double low = std::same_as<T, std::uint8_t> ? 0 : -2;
  const auto made = [&](const Shape& shape, std::uint64_t seed) { return cast<T>(numbers<std::int32_t>(shape, low, 2, seed)); };
  const auto product = [](const auto& x, const auto& y) { return matmul(x, y); };
  check_same<D>(0, product, made({17, 23}, 1), made({23, 9}, 2));
  check_same<D>(0, product, made({17, 23}, 1), made({23}, 2));
  check_same<D>(0, product, made({23}, 1), made({23, 9}, 2));
  check_same<D>(0, product, made({23}, 1), made({23}, 2));
  check_same<D>(0, product, made({4, 17, 23}, 1), made({4, 23, 9}, 2));
  check_same<D>(0, product, made({4, 17, 23}, 1), made({23, 9}, 2));
  check_same<D>(0, product, made({2, 1, 5, 6}, 1), made({3, 6, 4}, 2));
  check_same<D>(0, product, made({3, 0}, 1), made({0, 4}, 2));
  check_same<D>(0, product, made({0, 3}, 1), made({3, 4}, 2));
  check_same<D>(0, [](const auto& x, const auto& y) { return matmul(transpose(x), y); }, made({23, 17}, 1), made({23, 9}, 2));
  check_same<D>(0, [](const auto& x, const auto& y) { return matmul(x, transpose(y)); }, made({17, 23}, 1), made({9, 23}, 2));
  check_same<D>(0, [](const auto& x, const auto& y) { return matmul(transpose(x), transpose(y)); }, made({2, 23, 17}, 1), made({2, 9, 23}, 2));
  check_same<D>(0, [](const auto& x, const auto& y) { return matmul(x(all, range(0, 20, 2)), y(range(1, 11), all)); },
                made({17, 23}, 1), made({23, 9}, 2));
  check_same<D>(0, [](const auto& x) { return outer(x, x + x); }, made({31}, 1));
  check_same<D>(0, [](const auto& x) { return dot(x, x); }, made({31}, 1));
}
TEST_CASE_TEMPLATE_DEFINE("products of every element type and form", D, product_forms) {
  check_products<std::uint8_t, D>();
  check_products<std::int32_t, D>();
  check_products<std::int64_t, D>();
  check_products<float16, D>();
  check_products<bfloat16, D>();
  check_products<float, D>();
  check_products<double, D>();
  check_same<D>(64, [](const auto& x, const auto& y) { return matmul(x, y); }, numbers<float>({70, 130}, 0, 1), numbers<float>({130, 65}, 0, 1, 2));
}

TEST_CASE_TEMPLATE_DEFINE("Einstein sums", D, einstein_sums) {
  const auto small = [](const Shape& shape, std::uint64_t seed) { return cast<float>(numbers<std::int32_t>(shape, -2, 2, seed)); };
  const Tensor<float, Cpu> x = small({3, 4, 5}, 1);
  const Tensor<float, Cpu> y = small({3, 5, 2}, 2);
  check_same<D>(0, [](const auto& a, const auto& b) { return einsum<"bij,bjk->bik">(a, b); }, x, y);
  check_same<D>(0, [](const auto& a, const auto& b) { return einsum<"bij,bjk->kib">(a, b); }, x, y);
  check_same<D>(0, [](const auto& a, const auto& b) { return einsum<"bij,cjk->ickb">(a, b); }, x, y);  // merged axes
  check_same<D>(0, [](const auto& a, const auto& b) { return einsum<"bij,bjk->bj">(a, b); }, x, y);    // element by element
  check_same<D>(0, [](const auto& a) { return einsum<"ijk,ijk->">(a, a); }, x);
  check_same<D>(0, [](const auto& a) { return einsum<"iij->j">(a(all, range(0, 3), all)); }, x);
  check_same<D>(0, [](const auto& a, const auto& b) { return einsum<"...j,jk,...j->k...">(a, b(1, all, all), a); }, x, y);
  check_same<D>(0, [](const auto& a) { return einsum<"ij,jk,lk->li">(a(0, all, all), transpose(a(1, all, all)), transpose(a(2, all, all))); }, x);
  const Tensor<std::int32_t, D> n = cast<std::int32_t>(x).to(D{});
  CHECK(elements(einsum<"ijk->j">(n)) == elements(cast<std::int32_t>(sum(n, {0, 2}))));
}

TEST_CASE_TEMPLATE_DEFINE("random numbers have the same bits on every device", D, random) {
  Generator here(42);
  Generator there(42);
  for (const Shape& shape : {Shape{1001}, Shape{0}, Shape{3, 5, 7}, Shape{40'003}}) {
    check_elements(rand<float>(shape, D{}, there), rand<float>(shape, Cpu{}, here));
    check_elements(rand<double>(shape, D{}, there), rand<double>(shape, Cpu{}, here));
    check_elements(rand<bfloat16>(shape, D{}, there), rand<bfloat16>(shape, Cpu{}, here));
    check_elements(randn<float>(shape, D{}, there), randn<float>(shape, Cpu{}, here));
    check_elements(randn<double>(shape, D{}, there), randn<double>(shape, Cpu{}, here));
    check_elements(randn<float16>(shape, D{}, there), randn<float16>(shape, Cpu{}, here));
    check_elements(randint<std::int64_t>(-5, 9, shape, D{}, there), randint<std::int64_t>(-5, 9, shape, Cpu{}, here));
    check_elements(randint<std::uint8_t>(0, 200, shape, D{}, there), randint<std::uint8_t>(0, 200, shape, Cpu{}, here));
    check_elements(exponential<float>(shape, D{}, there), exponential<float>(shape, Cpu{}, here));
    check_elements(exponential<double>(shape, D{}, there), exponential<double>(shape, Cpu{}, here));
    check_elements(poisson(2.5, shape, D{}, there), poisson(2.5, shape, Cpu{}, here));
    check_elements(poisson<float>(70, shape, D{}, there), poisson<float>(70, shape, Cpu{}, here));
    check_elements(bernoulli(0.3, shape, D{}, there), bernoulli(0.3, shape, Cpu{}, here));
    check_elements(bernoulli<float>(0.3, shape, D{}, there), bernoulli<float>(0.3, shape, Cpu{}, here));
  }
  check_elements(permutation(1000, D{}, there), permutation(1000, Cpu{}, here));
  CHECK(elements(randn<float>({5}, D{}, there)) != elements(randn<float>({5}, D{}, there)));
}

}  // namespace conformance

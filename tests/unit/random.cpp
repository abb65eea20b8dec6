// SPDX-License-Identifier: Apache-2.0
// Random tensors: the same bits on every device and number of threads, generators as values, ranges and moments.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <situ/situ.hpp>

#include "../reference.hpp"

using namespace situ;
using reference::array_of;
using reference::contains;
using reference::message_of;

namespace {

template <class T>
double number(T element) {
  return static_cast<double>(static_cast<compute_t<T>>(element));
}

struct Moments {
  double mean;
  double variance;
};
template <class T>
Moments moments(const Tensor<T>& x) {
  double sum = 0;
  double squares = 0;
  for (const T element : x) {
    sum += number(element);
    squares += number(element) * number(element);
  }
  const auto n = static_cast<double>(x.size());
  return {sum / n, squares / n - sum / n * (sum / n)};
}

}  // namespace

TEST_CASE_TEMPLATE("an element depends on seed, draw and position alone", T, float16, bfloat16, float, double) {
  for (const std::int64_t count : {0, 1, 5, 255, 256, 257, 100003}) {
    const Tensor uniform = rand<T>({count}, Generator(42));
    const Tensor normal = randn<T>({count}, Generator(42, 1));
    const internal::distribution::Uniform<T> u{{.seed = 42, .draw = 0}};
    const internal::distribution::Normal<T> n{{.seed = 42, .draw = 1}};
    bool equal = true;
    for (std::int64_t i = 0; i < count; i += i < 600 ? 1 : 61) {
      equal = equal && number(uniform(i)) == number(u(i)) && number(normal(i)) == number(n(i));
    }
    CHECK(equal);
    CHECK(array_of(rand<T>({count}, pinned, Generator(42))) == array_of(uniform));
  }
}

TEST_CASE("the number of threads does not matter") {
  const int threads = num_threads();
  const Shape shape{3, 100, 257};
  set_num_threads(1);
  const Tensor one = randn<float>(shape, Generator(7));
  const Tensor dice = randint(1, 7, shape, Generator(7));
  set_num_threads(5);
  const Tensor five = randn<float>(shape, Generator(7));
  const Tensor dice_again = randint(1, 7, shape, Generator(7));
  set_num_threads(threads);
  CHECK(array_of(one) == array_of(five));
  CHECK(array_of(dice) == array_of(dice_again));
}

TEST_CASE("a generator is a value that counts its draws") {
  Generator generator(42);
  const Tensor first = rand<float>({4}, generator);
  CHECK(generator.draws() == 1);
  Generator copy = generator;
  const Tensor second = rand<float>({4}, Cpu{}, generator);
  CHECK(array_of(first) != array_of(second));
  CHECK(array_of(rand<float>({4}, copy)) == array_of(second));
  CHECK(copy == generator);
  CHECK(array_of(rand<float>({4}, Generator(42, 1))) == array_of(second));
  CHECK(array_of(rand<float>({4}, Generator(43))) != array_of(first));
}

TEST_CASE("rand_like and randn_like: the numbers of rand and randn, in the shape and of the elements of x") {
  const Tensor x = zeros<double>({3, 5}, pinned);
  Generator generator(42);
  const auto uniform = rand_like(transpose(x), generator);
  static_assert(std::same_as<decltype(uniform), const Tensor<double, Pinned>>);
  CHECK(uniform.shape() == Shape{5, 3});
  CHECK(array_of(uniform) == array_of(rand<double>({5, 3}, Generator(42))));
  CHECK(array_of(randn_like(x + 1, generator)) == array_of(randn<double>({3, 5}, Generator(42, 1))));
  CHECK(array_of(randn_like<float>(arange(7), generator)) == array_of(randn<float>({7}, Generator(42, 2))));
  CHECK(rand_like(zeros({0, 3})).shape() == Shape{0, 3});
}

TEST_CASE("without a generator, set_seed starts the process's own") {
  set_seed(5);
  const Tensor a = rand<float>({3});
  const Tensor b = randn<float>({3});
  const Tensor c = randint(0, 100, {3});
  const Tensor d = bernoulli(0.5, {3});
  CHECK(array_of(a) == array_of(rand<float>({3}, Generator(5))));
  CHECK(array_of(b) == array_of(randn<float>({3}, Generator(5, 1))));
  CHECK(array_of(c) == array_of(randint(0, 100, {3}, Generator(5, 2))));
  CHECK(array_of(d) == array_of(bernoulli(0.5, {3}, Generator(5, 3))));
  set_seed(5);
  CHECK(array_of(rand<float>({3}, pinned)) == array_of(a));
}

TEST_CASE_TEMPLATE("uniform and normal numbers have their moments", T, float16, bfloat16, float, double) {
  const Tensor u = rand<T>({200000}, Generator(1));
  CHECK(std::all_of(u.begin(), u.end(), [](T element) { return number(element) >= 0 && number(element) < 1; }));
  const Moments uniform = moments(u);
  // Five standard errors; bfloat16 has steps of 2^-8, which lower the mean by 2^-9.
  CHECK(std::abs(uniform.mean - 0.5) < 5 * 0.289 / std::sqrt(200000) + (sizeof(T) == 2 ? 0x1p-9 : 0));
  CHECK(std::abs(uniform.variance - 1.0 / 12) < 0.001);
  const Moments normal = moments(randn<T>({200000}, Generator(2)));
  CHECK(std::abs(normal.mean) < 5 / std::sqrt(200000));
  CHECK(std::abs(normal.variance - 1) < 5 * std::sqrt(2.0 / 200000));
}

TEST_CASE_TEMPLATE("randint covers its range evenly and to the ends of the type", T, uint8_t, int32_t, int64_t) {
  std::vector<int> counts(6, 0);
  const Tensor faces = randint<T>(1, 7, {60000}, Generator(3));
  REQUIRE(std::all_of(faces.begin(), faces.end(), [](T face) { return face >= 1 && face <= 6; }));
  for (const T face : faces) ++counts[static_cast<std::size_t>(face - 1)];
  for (const int count : counts) CHECK(std::abs(count - 10000) < 500);  // five standard errors
  for (const T face : randint<T>(4, 5, {10}, Generator(3))) CHECK(face == 4);
  if constexpr (sizeof(T) < 8) {
    const auto low = static_cast<std::int64_t>(std::numeric_limits<T>::min());
    const auto high = static_cast<std::int64_t>(std::numeric_limits<T>::max());
    const Tensor x = randint<T>(low, high + 1, {5000}, Generator(3));
    CHECK(std::abs(moments(x).mean / static_cast<double>(high) - (low == 0 ? 0.5 : 0.0)) < 0.05);
    CHECK_THROWS_AS((void)randint<T>(0, high + 2, {1}), ValueError);
    CHECK_THROWS_AS((void)randint<T>(low - 1, 1, {1}), ValueError);
  } else {
    const Tensor x = randint(std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), {5000}, Generator(3));
    CHECK(std::abs(moments(x).mean / 0x1p63) < 0.05);
  }
}

TEST_CASE_TEMPLATE("bernoulli", T, bool, uint8_t, float16, float, double) {
  for (const double probability : {0.0, 0.1, 0.5, 1.0}) {
    const Tensor x = bernoulli<T>(probability, {100000}, Generator(4));
    CHECK(std::all_of(x.begin(), x.end(), [](T element) { return number(element) == 0 || number(element) == 1; }));
    CHECK(std::abs(moments(x).mean - probability) <= 5 * std::sqrt(probability * (1 - probability) / 100000));
  }
}

TEST_CASE("permutation") {
  for (const std::int64_t count : {0, 1, 2, 1000}) {
    const Tensor p = permutation(count, Generator(6));
    CHECK(array_of(sort(p, 0)) == array_of(arange<std::int64_t>(count)));
  }
  CHECK(array_of(permutation(100, Generator(6))) != array_of(arange<std::int64_t>(100)));
  CHECK(array_of(permutation(100, Generator(6))) != array_of(permutation(100, Generator(7))));
  // each of the 6 orders of 3, about equally often
  std::vector<int> counts(27, 0);
  Generator generator(8);
  for (int i = 0; i < 6000; ++i) {
    const Tensor p = permutation(3, generator);
    ++counts[static_cast<std::size_t>(9 * p(0) + 3 * p(1) + p(2))];
  }
  CHECK(std::count(counts.begin(), counts.end(), 0) == 21);
  for (const int count : counts) CHECK((count == 0 || std::abs(count - 1000) < 145));  // five standard errors
}

TEST_CASE("errors name the values, and a draw that fails is none") {
  CHECK(contains(message_of([] { (void)randint(3, 3, {1}); }), "at least 3 and less than 3"));
  CHECK(contains(message_of([] { (void)bernoulli(1.5, {1}); }), "1.5"));
  CHECK_THROWS_AS((void)bernoulli(-0.1, {1}), ValueError);
  CHECK_THROWS_AS((void)bernoulli(std::nan(""), {1}), ValueError);
  CHECK_THROWS_AS((void)rand<float>({-1}), ShapeError);
  Generator generator(1);
  CHECK_THROWS_AS((void)randint(3, 3, {1}, generator), ValueError);
  CHECK_THROWS_AS((void)bernoulli(2, {1}, generator), ValueError);
  CHECK(generator.draws() == 0);
}

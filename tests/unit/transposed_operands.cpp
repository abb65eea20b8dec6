// SPDX-License-Identifier: Apache-2.0
// Expressions of transposed operands have the bits of those of contiguous ones: odd sizes, short and long rows, several
// axes, beside other layouts, every element type, past the cache, on several threads.
#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <limits>

#include <situ/complex.hpp>
#include <situ/cpu/non_temporal.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

template <class T>
Tensor<T> numbers(const Shape& shape) {
  const Tensor<float> x = reshape(eval(sin(arange<float>(shape.count()) * 1.7f) * 50.f), shape);
  if constexpr (std::same_as<T, bool>) return x > 0.f;
  else if constexpr (IntegerElement<T>) return cast<T>(abs(x));
  else return cast<T>(x);
}

/// `f` of an operand in two layouts.
template <class T, class F>
void compare(const Tensor<T>& x, const F& f) {
  const auto got = eval(f(x));
  const auto wanted = eval(f(contiguous(x)));
  CAPTURE(x.shape().to_string());
  REQUIRE(got.layout().is_row_major());
  CHECK(array_equal(got, wanted).item());
}

constexpr std::int64_t sizes[][2] = {{1, 70000},  {3, 20011}, {15, 3001}, {16, 2500},  {17, 2503}, {31, 1301},
                                     {64, 700},   {65, 701},  {200, 211}, {256, 256},  {700, 63},  {701, 65},
                                     {2503, 17},  {3001, 15}, {20011, 3}, {70000, 1},  {40000, 2}, {1030, 95}};

}  // namespace

TEST_CASE_TEMPLATE("every element type", T, bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, float16, bfloat16, float, double) {
  for (const auto& size : sizes) {
    const std::int64_t rows = size[0], columns = size[1];
    const Tensor<T> x = numbers<T>({rows, columns});
    if constexpr (std::same_as<T, bool>) {
      compare(transpose(x), [](const auto& a) { return !a; });
    } else {
      compare(transpose(x), [](const auto& a) { return a * a + a; });
      compare(transpose(x), [](const auto& a) { return a > a * T(compute_t<T>(1)); });  // another width
    }
    compare(transpose(x), [](const auto& a) { return cast<float>(a); });
  }
}

TEST_CASE("complex elements") {
  const Tensor<float> x = numbers<float>({301, 211});
  const auto z = eval(cast<std::complex<float>>(x) * std::complex<float>(1.f, 2.f));
  const auto wide = eval(cast<std::complex<double>>(z));
  CHECK(all(eval(transpose(z) * transpose(z)) == contiguous(transpose(z)) * contiguous(transpose(z))).item());
  CHECK(all(eval(transpose(wide) * transpose(wide)) == contiguous(transpose(wide)) * contiguous(transpose(wide))).item());
}

TEST_CASE_TEMPLATE("beside operands of other layouts", T, float, double) {
  for (const auto& size : sizes) {
    const std::int64_t rows = size[0], columns = size[1];
    CAPTURE(rows);
    CAPTURE(columns);
    const Tensor<T> x = numbers<T>({rows, columns});
    const Tensor<T> y = numbers<T>({columns, rows});
    const Tensor<T> row = numbers<T>({rows}), column = numbers<T>({columns, 1});
    const Tensor<T> wide = numbers<T>({2 * columns, 3 * rows})(range(0, 2 * columns, 2), range(0, 3 * rows, 3));
    const Tensor<T> one = numbers<T>({1});
    const auto same = [&](const auto& f) { compare(transpose(x), f); };
    same([&](const auto& a) { return a + y; });
    same([&](const auto& a) { return exp(a * T(0.01)) - row; });
    same([&](const auto& a) { return a * column + one; });
    same([&](const auto& a) { return a - wide; });
    same([&](const auto& a) { return a + flip(a, 0) * y; });
    same([&](const auto& a) { return flip(a, 1) + a * column - row * wide; });
    same([&](const auto& a) { return where(a > y, a, wide); });
    // As many operands as tiles have space for, and more.
    const Tensor<T> x2 = eval(x + T(1)), x3 = eval(x + T(2)), x4 = eval(x + T(3)), x5 = eval(x + T(4));
    same([&](const auto& a) { return a + transpose(x2) * transpose(x3); });
    same([&](const auto& a) { return a + transpose(x2) * transpose(x3) - transpose(x4) * transpose(x5); });
  }
}

TEST_CASE("several axes") {
  const Tensor<float> x = numbers<float>({19, 70, 33});
  const auto f = [](const auto& a) { return a * 3.f + 1.f; };
  for (const auto& order : {Shape{0, 2, 1}, Shape{1, 0, 2}, Shape{1, 2, 0}, Shape{2, 0, 1}, Shape{2, 1, 0}}) {
    const Tensor<float> y = permute(x, {order[0], order[1], order[2]});
    compare(y, f);
    compare(flip(y, 0), f);
    compare(flip(y, 2), f);
    compare(Tensor<float>(y(all, range(1, y.shape()[1]), all)), f);
    compare(Tensor<float>(y(all, all, range(0, y.shape()[2], 2))), f);
    const Tensor<float> other = numbers<float>(y.shape());
    compare(y, [&](const auto& a) { return a + other; });
    compare(y, [&](const auto& a) { return a * other(0, all) - other(all, range(0, 1), all); });
  }
  const Tensor<float> four = numbers<float>({5, 17, 3, 200});
  compare(permute(four, {3, 2, 0, 1}), f);
  compare(permute(four, {0, 3, 2, 1}), f);
  compare(permute(four, {2, 3, 1, 0}), f);
}

TEST_CASE("past the cache, in place, NaN, and on any number of threads") {
  const int before = num_threads();
  constexpr std::int64_t shapes[][2] = {{256, 512}, {320, 250}, {1000, 77}, {3, 30000}};
  for (const auto& size : shapes) {
    const std::int64_t rows = size[0], columns = size[1];
    Tensor<float> x = numbers<float>({rows, columns});
    x.at(rows / 2, columns / 2) = std::numeric_limits<float>::quiet_NaN();
    const Tensor<float> y = numbers<float>({columns, rows});
    const auto value = [&] { return eval(exp(transpose(x) * 0.1f) + y); };
    const auto same = [](const Tensor<float>& a, const Tensor<float>& b) {
      return all((a == b) || (a != a && b != b)).item();
    };
    const Tensor<float> wanted = eval(exp(contiguous(transpose(x)) * 0.1f) + y);
    for (const int threads : {1, 3}) {
      set_num_threads(threads);
      for (const std::int64_t large : {1, 0}) {
        situ::internal::cpu::set_large_output_bytes(large);
        CHECK(same(value(), wanted));
        Tensor<float> own = y;
        own += exp(transpose(x) * 0.1f);
        CHECK(same(own, wanted));
      }
    }
    set_num_threads(before);
  }
}

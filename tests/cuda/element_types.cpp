// SPDX-License-Identifier: Apache-2.0
// The elements that few programs have, integers of other widths and floats of 8 bits, on a GPU against the CPU: what has
// a form of its own for the width of an element there (expressions, sums, the sort of long lines, selections, sums by
// index, products).
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include <situ/float8.hpp>
#include <situ/situ.hpp>

#include "compare.hpp"

using namespace situ;
using cuda_test::filled;
using cuda_test::on_gpu;
using cuda_test::same_bits;

namespace {

template <class T>
Tensor<T> scrambled(const Shape& shape, std::uint64_t state) {
  return filled<T>(shape, [&](std::int64_t) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<T>(state >> 32 >> (state >> 61));
  });
}

template <class T>
void check_as_on_the_host() {
  CAPTURE(std::string(dtype_name<T>()));
  const Tensor<T> x = scrambled<T>({5001}, 1), y = scrambled<T>({5001}, 2);
  const auto there = on_gpu(x), beside = on_gpu(y);
  CHECK(same_bits(eval((there << (beside & 15)) + fmod(there, beside)), eval((x << (y & 15)) + fmod(x, y))));
  CHECK(same_bits(eval(cast<float>(there)), eval(cast<float>(x))));
  CHECK(same_bits(sum(there), sum(x)));
  CHECK(same_bits(max(reshape(there, {3, 1667}), 1), max(reshape(x, {3, 1667}), 1)));
  CHECK(same_bits(cumsum(there), cumsum(x)));
  CHECK(same_bits(sort(there), sort(x)));
  CHECK(same_bits(argsort(there, 0, true), argsort(x, 0, true)));
  const Tensor<T> places = cast<T>(arange<std::int64_t>(77) * 3 % 11);
  CHECK(same_bits(take(there, on_gpu(places), 0), take(x, places, 0)));
  CHECK(same_bits(scatter_add(there, 0, on_gpu(eval(cast<std::int64_t>(places))), on_gpu(eval(x(range(0, 77))))),
                  scatter_add(x, 0, eval(cast<std::int64_t>(places)), eval(x(range(0, 77))))));
  const auto left = reshape(x(range(0, 66)), {6, 11}), right = reshape(y(range(0, 77)), {11, 7});
  CHECK(same_bits(matmul(on_gpu(eval(left)), on_gpu(eval(right))), matmul(left, right)));
  CHECK(same_bits(there(range(0, 50, 7)), x(range(0, 50, 7))));
}

}  // namespace

TEST_CASE_TEMPLATE("8-bit floats on a GPU", T, float8_e4m3fn, float8_e5m2) {
  const Tensor<float> x = filled<float>({8191}, [state = 1u](std::int64_t) mutable {
    state = state * 1664525u + 1013904223u;
    return std::ldexp(static_cast<float>(state >> 8), static_cast<int>(state % 64) - 56);
  });
  const auto there = on_gpu(x);
  const Tensor<T> stored = cast<T>(x), limited = saturate_cast<T>(x);
  CHECK(same_bits(eval(cast<T>(there)), stored));
  CHECK(same_bits(eval(saturate_cast<T>(there)), limited));
  CHECK(same_bits(eval(cast<float>(on_gpu(limited))), eval(cast<float>(limited))));  // a GPU has NaN bits of its own
  CHECK(same_bits(flip(on_gpu(stored)), flip(stored)));
}

TEST_CASE("integers of other widths on a GPU") {
  check_as_on_the_host<std::int8_t>();
  check_as_on_the_host<std::uint16_t>();
}

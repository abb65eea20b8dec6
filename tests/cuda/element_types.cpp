// SPDX-License-Identifier: Apache-2.0
// The elements that few programs have, integers of other widths and floats of 8 bits, on a GPU against the CPU: what has
// a form of its own for the width of an element there (expressions, sums, the sort of long lines, selections, sums by
// index, products); and the bits of a NaN of each element type.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include <situ/complex.hpp>
#include <situ/float8.hpp>
#include <situ/indexing.hpp>
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

#if defined(SITU_CUDA_EMULATED)
namespace {

/// The bits of an element, by default the first.
template <Element T, Device D>
std::uint64_t bits(const Tensor<T, D>& x, std::int64_t at = 0) {
  const Tensor<T> here = contiguous(flatten(x.template to<Cpu>()));
  std::uint64_t word = 0;
  std::memcpy(&word, here.data() + at, sizeof(T));
  return word;
}

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Rows that begin with two elements, ones behind.
template <class T>
Tensor<T> rows_of(std::int64_t length, T first, T second) {
  return filled<T>({2, length}, [&](std::int64_t i) {
    const std::int64_t at = i % length;
    return at == 0 ? first : at == 1 ? second : T(1);
  });
}

template <class T>
void check_nan(std::int64_t length, std::uint64_t expected) {
  CAPTURE(std::string(dtype_name<T>()));
  CAPTURE(length);
  const Tensor<T> x = rows_of(length, T(infinity), T(-infinity)), y = rows_of(length, T(0.f), T(infinity));
  const auto opposite = on_gpu(x), vanishing = on_gpu(y);
  const Tensor<T, Cuda<0>> product = opposite * vanishing;
  CHECK(bits(product) == expected);
  CHECK(bits(product(all, range(0, 1))) == expected);
  CHECK(bits(eval(transpose(opposite) * transpose(vanishing))) == expected);
  CHECK(bits(sum(opposite, 1)) == expected);
  CHECK(bits(mean(opposite, 1)) == expected);
  CHECK(bits(prod(vanishing, 1)) == expected);
  CHECK(bits(cumsum(opposite, 1), 1) == expected);
  CHECK(bits(cumprod(vanishing, 1), 1) == expected);
  const auto columns = on_gpu(eval(transpose(x)));
  CHECK(bits(sum(columns, 0)) == expected);
  CHECK(bits(cumsum(columns, 0), 2) == expected);
  const auto places = zeros<std::int64_t>({length}, Cuda<0>{});
  CHECK(bits(scatter_add(zeros<T>({3}, Cuda<0>{}), 0, places, eval(opposite(0, all)))) == expected);
  CHECK(bits(sum(x, 1)) != expected);  // the host's are others: a comparison of bytes finds that
}

}  // namespace

TEST_CASE("a NaN that a kernel computes has the bits that NVIDIA states") {
  for (const std::int64_t length : {2, 3000}) {
    check_nan<float>(length, 0x7fffffff);
    check_nan<float16>(length, 0x7fff);
    check_nan<bfloat16>(length, 0x7fff);
  }
  // A conversion makes one, whatever is converted; and a choice keeps what is not converted.
  const auto own = [](auto like, auto word) {
    using T = decltype(like);
    return on_gpu(filled<T>({1, 1, 2, 2}, [&](std::int64_t) { return std::bit_cast<T>(word); }));
  };
  CHECK(bits(max_pool2d(own(float16(), std::uint16_t{0xfe01}), 2)) == 0x7fff);
  CHECK(bits(max_pool2d(own(0.f, 0xffc00001u), 2)) == 0xffc00001);
  const auto place = zeros<std::int64_t>({1}, Cuda<0>{});
  const auto largest = [&place]<class T>(const Tensor<T, Cuda<0>>& x) {
    return scatter_reduce<ScatterReduction::max>(zeros<T>({1}, Cuda<0>{}), 0, place, eval(flatten(x)(range(0, 1))));
  };
  CHECK(bits(largest(own(float16(), std::uint16_t{0xfe01}))) == 0x7fff);
  CHECK(bits(largest(own(0.f, 0xffc00001u))) == 0xffc00001);
  CHECK(bits(eval(cast<float>(own(0.0, std::uint64_t{0xfff8000000000001})))) == 0x7fffffff);
  // Floats of 8 bits have the sign of the `float`.
  const auto wide = on_gpu(rows_of(2, infinity, infinity)), zero = on_gpu(rows_of(2, 0.f, 0.f));
  CHECK(bits(eval(cast<float8_e4m3fn>(wide * zero))) == 0x7f);
  CHECK(bits(eval(cast<float8_e5m2>(wide * zero))) == 0x7e);
}

TEST_CASE("a complex NaN that a kernel computes has the bits that NVIDIA states in both parts") {
  using Complex = std::complex<float>;
  const auto wide = on_gpu(rows_of(2, Complex(infinity, infinity), Complex(-infinity, -infinity)));
  const auto zero = zeros<Complex>({2, 2}, Cuda<0>{});
  CHECK(bits(eval(wide * zero)) == 0x7fffffff7fffffff);
  CHECK(bits(sum(wide, 1)) == 0x7fffffff7fffffff);
}
#endif

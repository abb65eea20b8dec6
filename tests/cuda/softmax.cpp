// SPDX-License-Identifier: Apache-2.0
// softmax, log_softmax, logsumexp, layer normalisation and cross_entropy on GPUs against loops in `long double`: rows
// held by a few threads, by a block, and longer ones; infinities and NaN; layouts; labels out of range.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <situ/situ.hpp>

#include "compare.hpp"

namespace {

using namespace situ;
using cuda_test::filled;
using Gpu = Cuda<0>;

constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();
constexpr float inf_f = std::numeric_limits<float>::infinity();

template <class T>
Tensor<T> numbers(const Shape& shape, float low, float high, std::uint32_t state = 3) {
  return filled<T>(shape, [&](std::int64_t) {
    state = state * 1664525U + 1013904223U;
    return static_cast<compute_t<T>>(low + (high - low) * static_cast<float>(state >> 8) / 16777216.0f);
  });
}

long double as_number(auto v) {
  if constexpr (OneOf<decltype(v), float16, bfloat16>) return static_cast<float>(v);
  else return static_cast<long double>(v);
}
template <class T>
long double step_of() {
  return std::is_same_v<T, double>    ? 0x1p-52L
         : std::is_same_v<T, float>   ? 0x1p-23L
         : std::is_same_v<T, float16> ? 0x1p-10L
                                      : 0x1p-7L;
}
template <class T, class D>
std::vector<long double> values(const Tensor<T, D>& x) {
  const Tensor<T> host = contiguous(x.template to<Cpu>());
  std::vector<long double> list;
  for (const T v : host) list.push_back(as_number(v));
  return list;
}

/// Everything along the last axis of `x`, of rank 2, which `on_gpu` equals.
template <class T>
void check_rows(const Tensor<T, Gpu>& on_gpu) {
  const Shape shape = on_gpu.shape();
  CAPTURE(shape.to_string());
  const auto rows = static_cast<std::size_t>(shape[0]);
  const auto n = static_cast<std::size_t>(shape[1]);
  const std::vector<long double> in = values(on_gpu);
  const Tensor<T> weight = numbers<T>({shape[1]}, 0.5, 2, 5);
  const Tensor<T> bias = numbers<T>({shape[1]}, -1, 1, 6);
  const std::vector<long double> w = values(weight);
  const std::vector<long double> b = values(bias);
  const std::vector<long double> probabilities = values(softmax(on_gpu));
  const std::vector<long double> logarithms = values(log_softmax(on_gpu));
  const std::vector<long double> sums = values(logsumexp(on_gpu, 1));
  const std::vector<long double> normal =
      values(layer_norm(on_gpu, weight.template to<Gpu>(), bias.template to<Gpu>()));
  const Tensor<std::int64_t> labels =
      filled<std::int64_t>({shape[0]}, [&](std::int64_t i) { return i * 13 % shape[1]; });
  const auto loss = values(cross_entropy(on_gpu, labels.to<Gpu>()));
  REQUIRE(probabilities.size() == rows * n);
  REQUIRE(sums.size() == rows);
  long double expected_loss = 0;
  const long double step = step_of<T>();
  // Exponents come from differences that are rounded in the type of the computation.
  const long double slack = std::is_same_v<T, float16> ? 0x1p-24L : 0x1p-130L;
  bool right[4] = {true, true, true, true};
  for (std::size_t r = 0; r < rows; ++r) {
    long double total = 0;
    long double mean = 0;
    for (std::size_t k = 0; k < n; ++k) {
      total += std::exp(in[r * n + k]);
      mean += in[r * n + k] / static_cast<long double>(n);
    }
    long double variance = 0;
    for (std::size_t k = 0; k < n; ++k) {
      variance += (in[r * n + k] - mean) * (in[r * n + k] - mean) / static_cast<long double>(n);
    }
    const long double log_total = std::log(total);
    right[0] = right[0] && std::abs(sums[r] - log_total) <= 4 * step * (1 + std::abs(log_total));
    expected_loss += (log_total - in[r * n + static_cast<std::size_t>(labels(static_cast<std::int64_t>(r)))]) /
                     static_cast<long double>(rows);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t at = r * n + k;
      const long double wanted = std::exp(in[at]) / total;
      right[1] = right[1] && std::abs(probabilities[at] - wanted) <= step * wanted * (8 + 2 * std::abs(in[at])) + slack;
      right[2] = right[2] && std::abs(logarithms[at] - (in[at] - log_total)) <=
                                 8 * step * (1 + std::abs(in[at]) + std::abs(log_total));
      const long double normalised = (in[at] - mean) / std::sqrt(variance + 1e-5L) * w[k] + b[k];
      right[3] = right[3] && std::abs(normal[at] - normalised) <= 32 * step * (1 + std::abs(normalised));
    }
  }
  CHECK(right[0]);
  CHECK(right[1]);
  CHECK(right[2]);
  CHECK(right[3]);
  CHECK(std::abs(loss[0] - expected_loss) <= 8 * step * (1 + expected_loss));
}

}  // namespace

TEST_CASE_TEMPLATE("CUDA softmax and its relatives agree with a loop", T, float, double, float16, bfloat16) {
  for (const Shape& shape : {Shape{1, 1}, Shape{9, 10}, Shape{3, 16}, Shape{5, 33}, Shape{70, 8}, Shape{2, 264},
                             Shape{2, 1001}, Shape{2, 1032}, Shape{3, 3000}}) {
    check_rows(numbers<T>(shape, -8, 8).template to<Gpu>());
  }
}

TEST_CASE("CUDA softmax of rows that a block holds, and of longer ones") {
  // a few threads of a warp, a warp, several; as many vectors as they hold, one fewer, one more
  for (const Shape& shape : {Shape{600, 8}, Shape{3, 252}, Shape{3, 256}, Shape{19, 260}, Shape{9, 508},
                             Shape{17, 512}, Shape{9, 516}, Shape{33, 201}, Shape{2, 1024}, Shape{2, 1028},
                             Shape{2, 5120}, Shape{1, 5116}, Shape{1, 8192}, Shape{1, 8196}, Shape{1, 16388},
                             Shape{1, 20000}, Shape{2, 32772}, Shape{2, 40000}, Shape{2, 9001}, Shape{2, 16387},
                             Shape{5, 257}, Shape{3, 50257}}) {
    check_rows(numbers<float>(shape, -8, 8).to<Gpu>());
  }
  check_rows(numbers<double>({2, 9000}, -8, 8).to<Gpu>());
  check_rows(numbers<bfloat16>({2, 4104}, -8, 8).to<Gpu>());
}

TEST_CASE("CUDA softmax of views") {
  const Tensor<float, Gpu> x = numbers<float>({12, 40}, -4, 4).to<Gpu>();
  check_rows(x(all, range(0, 32)));           // rows apart
  check_rows(x(all, range(3, 24)));           // not aligned
  check_rows(x(range(1, 12, 2), all));        // every second row
  check_rows(x(all, range(39, 2, -3)));       // backwards
  check_rows(transpose(x));
  check_rows(broadcast_to(x(0, all), Shape{5, 40}));
  const Tensor<float, Gpu> shifted = x * 2.f + 1.f;  // an expression is computed, and its storage used for the result
  CHECK(values(softmax(x * 2.f + 1.f)) == values(softmax(shifted)));
  CHECK(values(log_softmax(x * 2.f + 1.f)) == values(log_softmax(shifted)));
  CHECK(softmax(zeros<float>({0, 4}, Gpu{})).shape() == Shape{0, 4});
  const std::vector<long double> down = values(softmax(x, 0));
  const std::vector<long double> turned = values(softmax(transpose(x), 1));
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(static_cast<double>(down[i * 40 + 7]) == doctest::Approx(static_cast<double>(turned[7 * 12 + i])));
  }
}

TEST_CASE("CUDA softmax of infinities, NaN and large numbers, in rows of every length") {
  for (const std::int64_t n : {3, 20, 1500, 40000}) {
    CAPTURE(n);
    Tensor<float> x = full<float>({6, n}, -1.f);
    x.at(0, n - 2) = nan_f;
    x.at(1, n - 1) = inf_f;
    x.at(2, all) = -inf_f;
    x.at(3, 0) = -inf_f;
    x.at(4, all) = 1000.f;
    x.at(5, all) = -inf_f;
    x.at(5, n / 2) = -1000.f;
    const auto y = x.to<Gpu>();
    const Tensor<float> p = softmax(y).to<Cpu>();
    const Tensor<float> l = log_softmax(y).to<Cpu>();
    const Tensor<float> s = logsumexp(y, 1).to<Cpu>();
    for (const int row : {0, 1, 2}) {
      CHECK(std::isnan(p(row, 0)));
      CHECK(std::isnan(p(row, n - 1)));
      CHECK(std::isnan(l(row, 1)));
    }
    CHECK(std::isnan(s(0)));
    CHECK(s(1) == inf_f);
    CHECK(s(2) == -inf_f);
    CHECK(p(3, 0) == 0);
    CHECK(l(3, 0) == -inf_f);
    CHECK(p(3, 1) == doctest::Approx(1.0 / static_cast<double>(n - 1)));
    CHECK(p(4, 1) == doctest::Approx(1.0 / static_cast<double>(n)));
    CHECK(s(4) == doctest::Approx(1000 + std::log(static_cast<double>(n))));
    CHECK(p(5, n / 2) == 1);
    CHECK(p(5, n - 1) == 0);
    CHECK(s(5) == -1000.f);
  }
}

#if defined(SITU_CUDA_EMULATED)
TEST_CASE("CUDA rows: a NaN that a kernel computes has the bits of a GPU, which a comparison of bytes finds") {
  const auto bits = [](const Tensor<float, Gpu>& y) {
    const Tensor<float> here = y.to<Cpu>();
    return std::bit_cast<std::uint32_t>(here.data()[0]);
  };
  for (const std::int64_t n : {3, 1500, 40000}) {  // of a few threads, of a block, and long
    CAPTURE(n);
    Tensor<float> x = full<float>({2, n}, 1.f);
    x.at(0, 0) = inf_f;
    const Tensor<float, Gpu> y = x.to<Gpu>();
    const auto ones_of_row = ones<float>({n}, Gpu{});
    const Tensor<std::int64_t, Gpu> labels = zeros<std::int64_t>({2}, Gpu{});
    CHECK(bits(softmax(y, 1)) == 0x7fffffffu);
    CHECK(bits(log_softmax(y, 1)) == 0x7fffffffu);
    CHECK(bits(layer_norm(y, ones_of_row, ones_of_row)) == 0x7fffffffu);
    CHECK(bits(cross_entropy(y, labels)) == 0x7fffffffu);
    CHECK(bits(logsumexp(y * nan_f, 1)) == 0x7fffffffu);
    CHECK(std::bit_cast<std::uint32_t>(softmax(x, 1)(0, 0)) != 0x7fffffffu);  // the host's has others
  }
}
#endif

TEST_CASE("CUDA layer_norm of a mean far from 0 keeps the deviations") {
  for (const std::int64_t n : {8, 1000, 20000}) {
    const Tensor<float> x = filled<float>({2, n}, [](std::int64_t i) { return 5000.f + static_cast<float>(i % 2); });
    const auto one = ones<float>({n}, Gpu{});
    const Tensor<float> y = layer_norm(x.to<Gpu>(), one, one - 1.f, 0).to<Cpu>();
    CHECK(y(1, 0) == doctest::Approx(-1).epsilon(1e-3));
    CHECK(y(1, n - 1) == doctest::Approx(1).epsilon(1e-3));
  }
}

TEST_CASE("CUDA cross_entropy reports a label that is no class, once") {
  const Tensor<float, Gpu> logits = numbers<float>({300, 3}, -1, 1).to<Gpu>();
  Tensor<std::int64_t> labels = zeros<std::int64_t>({300});
  labels.at(123) = 3;
  const Tensor<float, Gpu> loss = cross_entropy(logits, labels.to<Gpu>());
  CHECK_THROWS_WITH_AS(static_cast<void>(loss.to<Cpu>()),
                       "cross_entropy: label 3 at position 123 is not one of the 3 classes, which count from 0",
                       IndexError);
  CHECK(std::isnan(loss.to<Cpu>().item()));
  labels.at(123) = -1;
  static_cast<void>(cross_entropy(logits, labels.to<Gpu>()));
  CHECK_THROWS_WITH_AS(synchronize<Gpu>(),
                       "cross_entropy: label -1 at position 123 is not one of the 3 classes, which count from 0",
                       IndexError);
  CHECK(std::isnan(cross_entropy(zeros<float>({0, 3}, Gpu{}), zeros<std::int64_t>({0}, Gpu{})).to<Cpu>().item()));
}

TEST_CASE("CUDA softmax and layer_norm give the same bits in every run") {
  for (const Shape& shape : {Shape{20, 100}, Shape{2, 5000}, Shape{1, 50001}}) {
    const Tensor<float, Gpu> x = numbers<float>(shape, -8, 8).to<Gpu>();
    const auto weight = ones<float>({shape[1]}, Gpu{});
    CHECK(cuda_test::same_bits(softmax(x), softmax(x).to<Cpu>()));
    CHECK(cuda_test::same_bits(layer_norm(x, weight, weight), layer_norm(x, weight, weight).to<Cpu>()));
    CHECK(cuda_test::same_bits(logsumexp(x, 1), logsumexp(x, 1).to<Cpu>()));
  }
}

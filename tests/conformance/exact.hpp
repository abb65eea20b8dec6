// SPDX-License-Identifier: Apache-2.0
// Conformance: values against what is exact, of `double`, `long double` or integers, where a formula that is right on
// paper is not with rounded numbers: large logits, means of huge and of the smallest numbers, two roundings, weights of 0,
// infinities in gradients.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <situ/autograd.hpp>
#include <situ/einsum.hpp>
#include <situ/float8.hpp>
#include <situ/indexing.hpp>
#include <situ/order.hpp>

#include "support.hpp"

namespace conformance {

/// The number of an element.
template <class T>
double number_of(T element) {
  return static_cast<double>(static_cast<compute_t<T>>(element));
}

/// Whether all are as `wanted`, to `relative`; NaN is NaN.
template <class X>
void check_numbers(const X& got, const std::vector<double>& wanted, double relative = 0, int line = __builtin_LINE()) {
  CAPTURE(line);
  const auto all_got = elements(got);
  REQUIRE(all_got.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double g = number_of(all_got[i]);
    CAPTURE(i);
    CAPTURE(g);
    CAPTURE(wanted[i]);
    const bool right = std::isnan(wanted[i]) ? std::isnan(g)
                                             : g == wanted[i] || std::abs(g - wanted[i]) <= relative * std::abs(wanted[i]);
    CHECK(right);
  }
}

template <class D, class T>
Tensor<T, D> on_device_of(const Tensor<T, Cpu>& x) {
  return x.to(D{});
}

TEST_CASE_TEMPLATE_DEFINE("losses of large numbers", D, large_losses) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr float inf = std::numeric_limits<float>::infinity();
  // -log_softmax at the label, as `long double` has it
  const auto wanted = [](std::vector<float> x, std::size_t label) {
    long double sum = 0;
    for (const float value : x) sum += std::exp(static_cast<long double>(value) - static_cast<long double>(x[label]));
    return static_cast<double>(std::log(sum));
  };
  struct Case {
    std::vector<float> x;
    std::int64_t label;
  };
  for (const auto& [x, label] :
       {Case{{1e8f, 1e8f}, 1}, Case{{1e7f, 1e7f}, 0}, Case{{1e6f + 2, 1e6f - 1}, 0}, Case{{1e4f, 1e4f - 4}, 0},
        Case{{-3e8f, -3e8f - 64, 0}, 2}, Case{{3e38f, -3e38f}, 0}, Case{{30, 20}, 0}, Case{{1e4f - 4, 1e4f, -1e30f}, 0}}) {
    const Tensor<std::int64_t, D> labels = on_device_of<D>(full<std::int64_t>({1}, label));
    const Tensor<float, D> row = on_device_of<D>(from_span<float>(x, {1, -1}));
    const double right = wanted(x, static_cast<std::size_t>(label));
    // the sum beside 1 is rounded: to half a unit in its last place
    const double least = 0x1p-24 / std::max(right, 0x1p-24);
    check_numbers(cross_entropy(row, labels), {right}, 4e-7 + least);
    check_numbers(nll_loss(log_softmax(row), labels), {right}, 4e-7 + least);
    check_numbers(cross_entropy(row, labels, {.label_smoothing = 0}), {right}, 4e-7 + least);
    // one row is longer than what a block holds
    std::vector<float> many(20000, -inf);
    std::copy(x.begin(), x.end(), many.begin() + 9999);
    check_numbers(cross_entropy(on_device_of<D>(from_span<float>(many, {1, -1})), labels + 9999), {right}, 4e-7 + least);
    check_numbers(cross_entropy(cast<double>(row), labels), {right}, 1e-15 + 0x1p-53 / std::max(right, 0x1p-53));
  }
  const auto of_halves = cast<bfloat16>(on_device_of<D>(tensor({{3e38f, 3e38f}})));
  check_numbers(cross_entropy(Tensor<bfloat16, D>(of_halves), on_device_of<D>(full<std::int64_t>({1}, 0))),
                {number_of(bfloat16(0.6931472f))});
  // as log_softmax, where a row has an infinity
  const Tensor<float, D> ends = on_device_of<D>(tensor({{inf, 0.f}, {-inf, 0.f}, {-inf, 0.f}, {-inf, -inf}}));
  const Tensor<std::int64_t, D> at = on_device_of<D>(tensor<std::int64_t>({1, 1, 0, 0}));
  check_numbers(cross_entropy(ends, at, {.reduction = Reduction::none}), {nan, 0, infinity, nan});
  check_numbers(nll_loss(log_softmax(ends), at, {.reduction = Reduction::none}), {nan, 0, infinity, nan});

  // (1 - y) x beside log(1 + exp(-x)), of a y just below 1 and a large x
  const float almost = 1 - 0x1p-20f;
  const Tensor<float, D> logits = on_device_of<D>(tensor({4096.f, 100.f, -100.f, 1e30f, -1e30f, 20.f}));
  const Tensor<float, D> truth = on_device_of<D>(tensor({almost, almost, 0x1p-20f, 1.f, 0.f, 1.f}));
  const std::vector<double> right{0x1p-8, 100 * 0x1p-20, 100 * 0x1p-20, 0, 0, std::log1p(std::exp(-20.0))};
  for (std::int64_t i = 0; i < 6; ++i) {
    check_numbers(bce_with_logits_loss(logits(range(i, i + 1)), truth(range(i, i + 1))),
                  {right[static_cast<std::size_t>(i)]}, 1e-6);
  }
  const Variable x(logits);
  const Tensor<float, D> slopes = backward(6 * bce_with_logits_loss(x, truth))[x];
  check_numbers(slopes, {0x1p-20, 0x1p-20, -0x1p-20, 0, 0, -std::exp(-20.0) / (1 + std::exp(-20.0))}, 1e-6);
}

TEST_CASE_TEMPLATE_DEFINE("gradients beside infinities and NaN", D, infinite_gradients) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr float inf = std::numeric_limits<float>::infinity(), none = std::numeric_limits<float>::quiet_NaN();
  const auto gradient = [](auto f, const Tensor<float, Cpu>& values) {
    const Variable x(on_device_of<D>(values));
    return backward(sum(f(x)))[x];
  };
  const auto lse = [](const auto& x) { return logsumexp(x); };
  const auto lse_down = [](const auto& x) { return logsumexp(x, 0); };
  check_numbers(gradient(lse, tensor({inf, 0.f})), {nan, 0});  // PyTorch's
  check_numbers(gradient(lse, tensor({inf, inf, 1.f})), {nan, nan, 0});
  check_numbers(gradient(lse, tensor({-inf, 0.f})), {0, 1});
  check_numbers(gradient(lse, tensor({-inf, -inf})), {0, 0});
  check_numbers(gradient(lse, tensor({none, 0.f})), {nan, nan});
  check_numbers(gradient(lse_down, tensor({{inf, 3.f}, {0.f, 3.f}})), {nan, 0.5, 0, 0.5}, 1e-6);
  check_numbers(gradient([](const auto& x) { return softmax(x) * tensor({1.f, 2.f}).to(D{}); }, tensor({inf, 0.f})),
                {nan, nan});
  check_numbers(gradient([](const auto& x) { return log_softmax(x); }, tensor({-inf, 0.f})), {1, -1});
  // equal elements share, and so do NaN, which the result is
  check_numbers(gradient([](const auto& x) { return max(x); }, tensor({2.f, 1.f, 2.f})), {0.5, 0, 0.5});
  check_numbers(gradient([](const auto& x) { return min(x); }, tensor({none, 1.f, none})), {0.5, 0, 0.5});
  check_numbers(gradient([](const auto& x) { return max(x, 1); }, tensor({{inf, inf}, {none, 3.f}})), {0.5, 0.5, 1, 0});
  check_numbers(gradient([](const auto& x) { return maximum(x, 1); }, tensor({1.f, inf, -inf})), {0.5, 1, 0});
  check_numbers(gradient([](const auto& x) { return norm(x); }, tensor({0.f, 0.f})), {0, 0});
  check_numbers(gradient([](const auto& x) { return norm(x); }, tensor({inf, 1.f})), {nan, 0});
  check_numbers(gradient([](const auto& x) { return sqrt(x); }, tensor({0.f, inf})),
                {std::numeric_limits<double>::infinity(), 0});
  check_numbers(gradient([](const auto& x) { return hypot(x, 0 * x); }, tensor({0.f, 2.f})), {0, 1});
  check_numbers(gradient([](const auto& x) { return where(x > 0, x, 0.f); }, tensor({inf, -inf})), {1, 0});

  // of 16-bit floats far from 0: the mean is not rounded before it is subtracted
  const Variable far(on_device_of<D>(tensor({bfloat16(1024.f), bfloat16(1032.f), bfloat16(1040.f), bfloat16(1032.f)})));
  check_numbers(backward(cast<float>(var(far)))[far], {-4, 0, 4, 0});
  const Variable odd(on_device_of<D>(tensor({bfloat16(256.f), bfloat16(258.f)})));
  check_numbers(backward(cast<float>(var(odd)))[odd], {-1, 1});
}

TEST_CASE_TEMPLATE_DEFINE("elements are rounded once", D, rounded_once) {
  // just beside a midpoint of two bfloat16 or float16: by way of a double, or a float, it is rounded to the midpoint, and
  // from there to the even one
  const auto integers = std::vector<std::int64_t>{18366242230370305, -18366242230370305, 9007199254740993, 1, -1, 0,
                                                  std::numeric_limits<std::int64_t>::max(),
                                                  std::numeric_limits<std::int64_t>::min(), (std::int64_t{1} << 53) + 1,
                                                  0x4040000000000001, -0x4040000000000001, 0x7fbfffffffffffff, 2049, 65519};
  const auto nearest = [](auto value, auto to) {
    // the nearest of the element type, by `long double`, which holds every integer of 64 bits; of two the even one
    using T = decltype(to);
    const auto exact = static_cast<long double>(value);
    T best(static_cast<float>(value));
    const auto bits = best.bits;
    for (int step = -2; step <= 2; ++step) {
      T other;
      other.bits = static_cast<std::uint16_t>(bits + step);
      if (!std::isfinite(number_of(other)) || !std::isfinite(number_of(best))) continue;
      const long double distance = std::abs(number_of(other) - exact), least = std::abs(number_of(best) - exact);
      if (distance < least || (distance == least && other.bits % 2 == 0)) best = other;
    }
    return number_of(best);
  };
  const Tensor<std::int64_t, D> x = on_device_of<D>(from_span<std::int64_t>(integers));
  std::vector<double> wanted;
  for (const std::int64_t value : integers) wanted.push_back(nearest(value, bfloat16{}));
  check_numbers(cast<bfloat16>(x), wanted);
  CHECK(number_of(bfloat16(0x1.06p+54f)) == wanted[0]);
  std::vector<std::uint64_t> large;
  wanted.clear();
  for (const std::int64_t value : integers) large.push_back(static_cast<std::uint64_t>(value));
  large.push_back(0xc080000000000001);
  for (const std::uint64_t value : large) wanted.push_back(nearest(value, bfloat16{}));
  check_numbers(cast<bfloat16>(on_device_of<D>(from_span<std::uint64_t>(large))), wanted);
  const std::vector<std::int64_t> small{2049, 2051, -2051, 65519, 65520, 1025, (std::int64_t{1} << 40)};
  check_numbers(cast<float16>(on_device_of<D>(from_span<std::int64_t>(small))),
                {2048, 2052, -2052, 65504, std::numeric_limits<double>::infinity(), 1025,
                 std::numeric_limits<double>::infinity()});
  check_numbers(cast<float8_e5m2>(on_device_of<D>(tensor<std::int64_t>({9, 11, 13, 40961, 36865}))),
                {8, 12, 12, 40960, 40960});
  const double beside = 1 + 0x1p-8 + 0x1p-40;  // above the midpoint of 1 and the next bfloat16
  check_numbers(cast<bfloat16>(on_device_of<D>(tensor({beside, -beside}))), {1 + 0x1p-7, -(1 + 0x1p-7)});
  check_numbers(cast<float16>(on_device_of<D>(tensor({1 + 0x1p-11 + 0x1p-40}))), {1 + 0x1p-10});
  check_numbers(cast<float8_e4m3fn>(on_device_of<D>(tensor({1 + 0x1p-4 + 0x1p-40}))), {1 + 0x1p-3});

  // a number beside 16-bit floats, and what is made of numbers
  const Tensor<bfloat16, D> zero = zeros<bfloat16>({1}, D{});
  check_numbers(zero + beside, {1 + 0x1p-7});
  check_numbers(zero + 18366242230370305, {0x1.06p+54});
  check_numbers(full<bfloat16>({1}, beside, D{}), {1 + 0x1p-7});
  check_numbers(full<bfloat16>({1}, static_cast<long double>(1 + 0x1p-8) + 0x1p-60L, D{}), {1 + 0x1p-7});
  check_numbers(arange<bfloat16>(beside, 1.5, 1.0, D{}), {1 + 0x1p-7});
  // means, variances and norms, of which the sums are in double
  const Tensor<float16, D> third = on_device_of<D>(tensor({float16(2048.f), float16(2050.f), float16(2050.f)}));
  check_numbers(mean(third), {2050});  // 2049.33
  std::vector<bfloat16> many(513, bfloat16(1.f));
  many[0] = bfloat16(3.0039062f + 0.f);
  const Tensor<bfloat16, D> ones_and_three = on_device_of<D>(from_span<bfloat16>(many));
  check_numbers(sum(ones_and_three), {516});  // 515 or 515.0039: nearest of 514, 516
  check_numbers(norm(on_device_of<D>(tensor({float16(1.f), float16(0x1p-5f), float16(0x1p-12f), float16(0.f)}))),
                {number_of(float16(1.f))});
  // sums of 2^12 and 1 + 2^-12, not of the midpoint
  const Tensor<float16, D> steps = on_device_of<D>(tensor({float16(2048.f), float16(1.f), float16(0x1p-20f)}));
  check_numbers(sum(steps), {2050});

  // a product, its bias and its activation
  for (const std::int64_t rows : {1, 5}) {
    const Tensor<bfloat16, D> ones_of = ones<bfloat16>({rows, 2}, D{});
    const Tensor<bfloat16, D> weight = on_device_of<D>(tensor({{bfloat16(256.f), bfloat16(1.f)}, {bfloat16(1.f), bfloat16(1.f)}}));
    const Tensor<bfloat16, D> bias = on_device_of<D>(tensor({bfloat16(-256.f), bfloat16(0.0078125f)}));
    const Tensor<bfloat16, D> y = linear(ones_of, weight, bias);  // 257 is no bfloat16
    check_numbers(narrow(y, 0, 0, 1), {1, 2});
    check_numbers(narrow(linear(ones_of, weight, bias, Activation::relu), 0, 0, 1), {1, 2});
    // 1 + 2^-8 + 2^-9: rounded before the function of it would give that of 1 + 2^-7
    const Tensor<bfloat16, D> fine = on_device_of<D>(tensor({{bfloat16(1.f), bfloat16(0x1p-8f)}, {bfloat16(1.f), bfloat16(1.f)}}));
    const double sum_of = 1 + 0x1p-8 + 0x1p-9;
    const double inner = std::sqrt(2 / std::acos(-1.0)) * (sum_of + 0.044715 * sum_of * sum_of * sum_of);
    const bfloat16 right(static_cast<float>(0.5 * sum_of * (1 + std::tanh(inner))));
    const Tensor<bfloat16, D> small_bias = on_device_of<D>(tensor({bfloat16(0x1p-9f), bfloat16(0.f)}));
    const auto curved = elements(linear(ones_of, fine, small_bias, Activation::gelu_tanh));
    CHECK(number_of(curved.front()) == number_of(right));
  }
  const Tensor<bfloat16, D> image = ones<bfloat16>({1, 2, 3, 3}, D{});
  const Tensor<bfloat16, D> kernel = on_device_of<D>(reshape(tensor({bfloat16(256.f), bfloat16(1.f)}), {1, 2, 1, 1}));
  check_numbers(conv2d(image, kernel, on_device_of<D>(tensor({bfloat16(-256.f)}))), std::vector<double>(9, 1));
}

TEST_CASE_TEMPLATE_DEFINE("sums by index", D, indexed_sums) {
  // 16-bit floats: 1 added to 256, or to 2048, is lost where each sum is rounded
  const std::int64_t count = 3000;
  const Tensor<std::int64_t, D> to_one = on_device_of<D>(full<std::int64_t>({count}, std::int64_t{1}));
  const auto of_ones = [&]<class T>(T) {
    const double all_of = number_of(T(static_cast<float>(count))), one_more = number_of(T(static_cast<float>(count + 1)));
    const Tensor<T, D> one = ones<T>({count}, D{}), start = ones<T>({3}, D{});
    check_numbers(scatter_add(start, 0, to_one, one), {1, one_more, 1});
    check_numbers(index_add(start, 0, to_one, one), {1, one_more, 1});
    check_numbers(scatter_reduce<ScatterReduction::sum>(start, 0, to_one, one, IncludeSelf::no), {1, all_of, 1});
    check_numbers(scatter_reduce<ScatterReduction::mean>(start, 0, to_one, one), {1, 1, 1});
    check_numbers(index_put(start, std::vector{to_one}, one, Accumulate::yes), {1, one_more, 1});
    check_numbers(bincount(to_one, one, {.size = 3}), {0, all_of, 0});
    const Variable table(ones<T>({3, 2}, D{}));
    check_numbers(cast<double>(backward(sum(cast<float>(take(table, to_one, 0))))[table]), {0, 0, all_of, all_of, 0, 0});
    check_numbers(backward(sum(cast<float>(gather(table, 0, reshape(to_one, {count, 1})))))[table],
                  {0, 0, all_of, all_of, 0, 0});
    check_numbers(backward(sum(cast<float>(table(to_one))))[table], {0, 0, all_of, all_of, 0, 0});
    // a product whose steps would be rounded
    const Tensor<T, D> near = on_device_of<D>(full<T>({40}, T(1 + 0x1p-7f)));
    const double power = number_of(T(static_cast<float>(std::pow(1 + 0x1p-7, 40))));
    check_numbers(scatter_reduce<ScatterReduction::prod>(start, 0, to_one(range(0, 40)), near), {1, power, 1});
  };
  of_ones(bfloat16{});
  of_ones(float16{});

  // Many floats to one place: of 0.1 a sum of floats is off in the fourth digit. One list for all lines, lists of lines'
  // own, along the last axis and along the first, lines side by side and apart, few and many threads' worth.
  const std::int64_t many = 15000;
  const float tenth = 0.1f;
  const double wanted = static_cast<double>(tenth) * static_cast<double>(many);
  std::vector<std::int64_t> to_two;
  for (std::int64_t i = 0; i < many; ++i) to_two.push_back(i % 300 == 0 ? 0 : 2);
  const Tensor<std::int64_t, D> list = on_device_of<D>(from_span<std::int64_t>(to_two));
  const double few = static_cast<double>(tenth) * 50, rest = wanted - few;
  check_numbers(scatter_add(zeros<float>({4}, D{}), 0, list, full<float>({}, tenth, D{})), {few, 0, rest, 0}, 4e-6);
  check_numbers(scatter_reduce<ScatterReduction::mean>(zeros<float>({4}, D{}), 0, list, full<float>({}, tenth, D{}),
                                                       IncludeSelf::no),
                {static_cast<double>(tenth), 0, static_cast<double>(tenth), 0}, 4e-6);
  const auto rows = elements(index_add(zeros<float>({40, 3}, D{}), 0, list, full<float>({1, 1}, tenth, D{})));
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(std::abs(static_cast<double>(rows[i]) - few) < 4e-6 * few);
    CHECK(std::abs(static_cast<double>(rows[6 + i]) - rest) < 4e-6 * rest);
  }
  const auto beside = elements(index_add(zeros<float>({40, 20}, D{}), 0, list, full<float>({1, 1}, tenth, D{})));
  CHECK(std::abs(static_cast<double>(beside[40 + 19]) - rest) < 4e-6 * rest);
  const Tensor<std::int64_t, D> down = contiguous(broadcast_to(unsqueeze(list, 1), {many, 3}));
  const auto own = elements(scatter_add(zeros<float>({4, 3}, D{}), 0, down, full<float>({1, 1}, tenth, D{})));
  const Tensor<std::int64_t, D> across = contiguous(transpose(down));
  const auto apart = elements(scatter_add(zeros<float>({3, 4}, D{}), 1, across, full<float>({1, 1}, tenth, D{})));
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(std::abs(static_cast<double>(own[i]) - few) < 4e-6 * few);
    CHECK(std::abs(static_cast<double>(own[6 + i]) - rest) < 4e-6 * rest);
    CHECK(apart[4 * i] == own[i]);
    CHECK(apart[4 * i + 2] == own[6 + i]);
  }
  check_numbers(bincount(list, full<float>({many}, tenth, D{}), {.size = 3}), {few, 0, rest}, 4e-6);
  // beside 2^24, which is odd no more, and as far as the middle of a product is concerned out of range
  std::vector<float> large(600, 1.f);
  large[0] = 0x1p24f;
  const Tensor<std::int64_t, D> all_to_one = on_device_of<D>(full<std::int64_t>({600}, std::int64_t{1}));
  check_numbers(scatter_add(zeros<float>({2}, D{}), 0, all_to_one, on_device_of<D>(from_span<float>(large))),
                {0, 0x1p24 + 600});
  std::vector<float> factors(600, 2.f);
  std::fill(factors.begin() + 300, factors.end(), 0.5f);
  check_numbers(scatter_reduce<ScatterReduction::prod>(ones<float>({2}, D{}), 0, all_to_one,
                                                       on_device_of<D>(from_span<float>(factors))),
                {1, 1});
  // the same bits everywhere, on both sides of the number from which on the sum is wider
  for (const std::int64_t length : {255, 256, 257, 258, 700}) {
    const Tensor<float, Cpu> values = numbers<float>({length, 5}, -1, 3);
    const Tensor<std::int64_t, Cpu> places = cast<std::int64_t>(numbers<float>({length, 5}, 0, 2.2));
    check_same<D>(0, [](const auto& v, const auto& at) { return scatter_add(zeros<float>({3, 5}, v.device()), 0, at, v); },
                  values, places);
    check_same<D>(0, [](const auto& v, const auto& at) {
      return index_add(ones<float>({3, 5}, v.device()), 0, eval(at(situ::all, 2)), v);
    }, values, places);
    const Tensor<bfloat16, Cpu> halves = cast<bfloat16>(values);
    check_same<D>(0, [](const auto& v, const auto& at) { return scatter_add(ones<bfloat16>({3, 5}, v.device()), 0, at, v); },
                  halves, places);
    check_same<D>(0, [](const auto& v, const auto& at) {
      return index_add(ones<bfloat16>({3, 5}, v.device()), 0, eval(at(situ::all, 2)), v);
    }, halves, places);
    // and those of a loop
    const auto got = elements(scatter_add(zeros<float>({3, 5}, D{}), 0, on_device_of<D>(places), on_device_of<D>(values)));
    for (std::int64_t line = 0; line < 5; ++line) {
      for (std::int64_t place = 0; place < 3; ++place) {
        float narrow_sum = 0;
        double wide_sum = 0;
        std::int64_t terms = 0;
        for (std::int64_t j = 0; j < length; ++j) {
          if (places(j, line) != place) continue;
          narrow_sum += values(j, line);
          wide_sum += static_cast<double>(values(j, line));
          ++terms;
        }
        const float right = terms > 256 ? static_cast<float>(wide_sum) : narrow_sum;
        CHECK(got[static_cast<std::size_t>(place * 5 + line)] == right);
      }
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("sums along memory", D, long_sums) {
  // of 0.1, which one after another is off in the third digit
  const std::int64_t many = 60001;
  const float tenth = 0.1f;
  const double wanted = static_cast<double>(tenth) * static_cast<double>(many);
  for (const std::int64_t columns : {2, 20}) {
    const std::vector<double> all_wanted(static_cast<std::size_t>(columns), wanted);
    const Tensor<float, D> a = full<float>({many, columns}, tenth, D{}), one = ones<float>({many}, D{});
    check_numbers(matmul(transpose(a), one), all_wanted, 1e-5);
    check_numbers(matmul(one, a), all_wanted, 1e-5);
    check_numbers(reshape(matmul(reshape(one, {1, many}), a), {columns}), all_wanted, 1e-5);
    check_numbers(matmul(full<float>({columns, many}, tenth, D{}), one), all_wanted, 1e-5);
    check_numbers(einsum<"ij,i->j">(a, one), all_wanted, 1e-5);
    const auto three = elements(matmul(ones<float>({3, many}, D{}), a));
    for (const float value : three) CHECK(std::abs(static_cast<double>(value) - wanted) < 2e-5 * wanted);
  }
  if constexpr (HostDevice<D>) {  // others have products of their own
    const std::int64_t longer = 1000000;
    check_numbers(matmul(full<float>({3, longer}, tenth, D{}), ones<float>({longer}, D{})),
                  std::vector<double>(3, static_cast<double>(tenth) * static_cast<double>(longer)), 1e-5);
  }
  const Tensor<float, D> strided = full<float>({many, 2, 3}, tenth, D{})(situ::all, situ::all, 1);
  check_numbers(matmul(ones<float>({many}, D{}), strided), {wanted, wanted}, 1e-5);
  check_numbers(dot(full<float>({many}, tenth, D{}), ones<float>({many}, D{})), {wanted}, 1e-5);
  check_numbers(matmul(ones<float16>({many}, D{}), full<float16>({many, 2}, float16(0.1f), D{})),
                std::vector<double>(2, number_of(float16(static_cast<float>(number_of(float16(0.1f)) * static_cast<double>(many))))));

  // windows, and elements in many windows
  const Tensor<float, D> image = full<float>({1, 1, 150, 200}, tenth, D{});
  check_numbers(avg_pool2d(image, {150, 200}), {static_cast<double>(tenth)}, 1e-7);
  check_numbers(avg_pool2d(full<bfloat16>({1, 1, 150, 200}, bfloat16(tenth), D{}), {150, 200}),
                {number_of(bfloat16(tenth))});
  check_numbers(avg_pool1d(full<float>({1, 1, 20000}, tenth, D{}), 20000), {static_cast<double>(tenth)}, 1e-7);
  const Variable x(full<float>({1, 1, 1, 1199}, tenth, D{}));
  const auto average = elements(backward(sum(avg_pool2d(x, {1, 400}, {.stride = 1})))[x]);
  CHECK(std::abs(static_cast<double>(average[600]) - 1) < 1e-7);
  const Variable spike(on_device_of<D>(eval(where(arange<float>(1199) == 600.f, 1.f, zeros<float>({1, 1, 1, 1199})))));
  const auto largest = elements(backward(tenth * sum(max_pool2d(spike, {1, 400}, {.stride = 1})))[spike]);
  CHECK(std::abs(static_cast<double>(largest[600]) - 400 * static_cast<double>(tenth)) < 1e-5);
}

TEST_CASE_TEMPLATE_DEFINE("quantiles stay between their neighbours", D, bounded_quantiles) {
  constexpr double least = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto two = [](double a, double b) { return on_device_of<D>(tensor({a, b})); };
  check_numbers(median(two(least, least)), {least});
  check_numbers(median(two(-least, -least)), {-least});
  check_numbers(median(two(3 * least, 3 * least)), {3 * least});
  check_numbers(median(two(most, most)), {most});
  check_numbers(median(two(-most, most)), {0});
  check_numbers(median(two(most, most / 2)), {0.75 * most}, 1e-15);
  check_numbers(median(two(1, infinity)), {infinity});
  check_numbers(median(on_device_of<D>(tensor({0x1p-149f, 0x1p-149f}))), {0x1p-149});
  check_numbers(median(on_device_of<D>(tensor({std::numeric_limits<float>::max(), std::numeric_limits<float>::max()}))),
                {static_cast<double>(std::numeric_limits<float>::max())});
  check_numbers(median(on_device_of<D>(tensor({float16(0x1p-24f), float16(0x1p-24f)}))), {0x1p-24});
  for (const double q : {0.0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0}) {
    for (const auto& ends : {std::array{least, least}, std::array{least, 2 * least}, std::array{-least, least},
                               std::array{-most, most}, std::array{most / 2, most}, std::array{0.1, 0.1},
                               std::array{-most, 1.0}}) {
      const double a = ends[0], b = ends[1];
      const double value = elements(quantile(two(a, b), q)).front();
      CAPTURE(q);
      CAPTURE(a);
      CAPTURE(value);
      CHECK((value >= a && value <= b));
      const long double exact = static_cast<long double>(a) * (1 - static_cast<long double>(q)) +
                                static_cast<long double>(b) * static_cast<long double>(q);
      const bool near = std::abs(static_cast<long double>(value) - exact) <=
                        4e-16L * std::max(std::abs(static_cast<long double>(a)), std::abs(static_cast<long double>(b))) +
                            static_cast<long double>(least);
      CHECK(near);
    }
  }
  const Variable x(two(most, most));
  check_numbers(backward(median(x))[x], {0.5, 0.5});
  const Variable y(two(-most, most));
  check_numbers(backward(quantile(y, 0.25))[y], {0.75, 0.25});
}

TEST_CASE_TEMPLATE_DEFINE("no position without a weight is drawn", D, weighted_draws) {
  const auto drawn = [](const std::vector<float>& weights, std::int64_t draws, Replacement replacement,
                        std::uint64_t seed) {
    return elements(multinomial(on_device_of<D>(from_span<float>(weights)), draws, replacement, Generator(seed)));
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    std::vector<std::int64_t> both = drawn({0, 1, 0, 3, 0}, 2, Replacement::no, seed);
    std::sort(both.begin(), both.end());
    CHECK(both == std::vector<std::int64_t>{1, 3});
    CHECK(drawn({0, 0x1p-149f, 0}, 1, Replacement::no, seed) == std::vector<std::int64_t>{1});
    CHECK(drawn({0, 2, 0}, 3, Replacement::yes, seed) == std::vector<std::int64_t>{1, 1, 1});
    for (const Replacement replacement : {Replacement::no, Replacement::yes}) {
      CHECK_THROWS_AS(static_cast<void>(drawn({0, 0}, 1, replacement, seed)), ValueError);
      CHECK_THROWS_AS(static_cast<void>(drawn({1, -1}, 1, replacement, seed)), ValueError);
      CHECK_THROWS_AS(static_cast<void>(drawn({1, nan}, 1, replacement, seed)), ValueError);
      CHECK_THROWS_AS(static_cast<void>(drawn({1, infinity}, 1, replacement, seed)), ValueError);
    }
    CHECK_THROWS_AS(static_cast<void>(drawn({0, 1, 0}, 2, Replacement::no, seed)), ValueError);
  }
  std::string message;
  try {
    static_cast<void>(elements(multinomial(on_device_of<D>(tensor({{1.f, 1.f}, {1.f, 0.f}})), 2)));
  } catch (const ValueError& error) {
    message = error.what();
  }
  CHECK(message.starts_with("multinomial: weights must be finite and not negative, in each row as many above 0 as are"));
}

}  // namespace conformance

// SPDX-License-Identifier: Apache-2.0
// Conformance: reductions, scans, and what is composed of them.
#pragma once

#include "support.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_DEFINE("reductions and scans", D, reductions) {
  const Tensor<float, D> x = counting<float, D>({70, 67});
  const std::vector<float> host = elements(x);
  float total = 0;
  for (const float v : host) total += v;
  CHECK(elements(sum(x))[0] == total);
  const std::vector<float> rows = elements(sum(x, 1));
  const std::vector<float> columns = elements(max(x * 2, 0));
  for (std::size_t i = 0; i < 70; ++i) {
    float row = 0;
    for (std::size_t j = 0; j < 67; ++j) row += host[i * 67 + j];
    CHECK(rows[i] == row);
  }
  for (std::size_t j = 0; j < 67; ++j) {
    float most = 0;
    for (std::size_t i = 0; i < 70; ++i) most = std::max(most, 2 * host[i * 67 + j]);
    CHECK(columns[j] == most);
  }
  CHECK(elements(argmax(x, 1))[0] == 66);
  CHECK(elements(any(x > 98)) == std::vector<bool>{true});
  CHECK(elements(all(x >= 0, 0)) == std::vector<bool>(67, true));
  CHECK(elements(sum(counting<std::int32_t, D>({5, 7}))) == std::vector<std::int64_t>{34 * 35 / 2});
  CHECK(elements(cumsum(counting<float, D>({4}), 0)) == std::vector<float>{0, 1, 3, 6});
  CHECK(elements(mean(x(0, all)))[0] == doctest::Approx(33));
  CHECK_THROWS_AS(static_cast<void>(max(zeros<float>({0}, D{}))), ValueError);
  CHECK_THROWS_AS(static_cast<void>(sum(x, 2)), IndexError);
}

/// A reduction over every axis and set of axes of a tensor with three. Sums of random signs cancel: hence `epsilons`.
template <class D, class T, class F>
void check_axes(double epsilons, const Tensor<T, Cpu>& x, F reduce) {
  check_same<D>(epsilons, [&](const auto& a) { return reduce(a, ReduceAxes()); }, x);
  check_same<D>(epsilons, [&](const auto& a) { return reduce(a, ReduceAxes(std::span<const std::int64_t>())); }, x);
  check_same<D>(epsilons, [&](const auto& a) { return reduce(a, ReduceAxes(0)); }, x);
  check_same<D>(epsilons, [&](const auto& a) { return reduce(a, ReduceAxes(1)); }, x);
  check_same<D>(epsilons, [&](const auto& a) { return reduce(a, ReduceAxes(-1)); }, x);
  check_same<D>(epsilons, [&](const auto& a) { return reduce(a, ReduceAxes{0, 2}); }, x);
  check_same<D>(epsilons, [&](const auto& a) { return reduce(a, ReduceAxes{1, 2}); }, x);
  check_same<D>(epsilons, [&](const auto& a) { return reduce(transpose(a, 0, 2), ReduceAxes{0, 1}); }, x);
  check_same<D>(
      epsilons,
      [&](const auto& a) {
        return reduce(a(all, range(1, IndexRange::none, 2), range(IndexRange::none, IndexRange::none, -1)),
                      ReduceAxes(1));
      },
      x);
}
template <class T, class D>
void check_float_reductions(double epsilons) {
  const Tensor<T, Cpu> x = numbers<T>({9, 37, 6}, 0.25, 1.5);
  check_axes<D>(epsilons, x, [](const auto& a, ReduceAxes axes) { return sum(a, axes); });
  check_axes<D>(epsilons, x, [](const auto& a, ReduceAxes axes) { return mean(a * a, axes); });
  check_axes<D>(4 * epsilons, x, [](const auto& a, ReduceAxes axes) { return var(a, axes); });
  check_axes<D>(4 * epsilons, x, [](const auto& a, ReduceAxes axes) { return stddev(a, axes, Ddof{1}); });
  check_axes<D>(0, x, [](const auto& a, ReduceAxes axes) { return min(a - 1, axes); });
  check_axes<D>(0, x, [](const auto& a, ReduceAxes axes) { return max(a, axes); });
  check_axes<D>(epsilons, x, [](const auto& a, ReduceAxes axes) { return norm(a, axes); });
  check_axes<D>(epsilons, x, [](const auto& a, ReduceAxes axes) { return norm(a, axes, NormOrder{1}); });
  check_axes<D>(0, x, [](const auto& a, ReduceAxes axes) { return norm(a, axes, NormOrder{INFINITY}); });
  check_axes<D>(2 * epsilons, x, [](const auto& a, ReduceAxes axes) { return logsumexp(a, axes); });
}
TEST_CASE_TEMPLATE_DEFINE("reductions of floating elements", D, float_reductions) {
  check_float_reductions<float, D>(8);
  const Tensor<double, Cpu> twice = numbers<double>({9, 37, 6}, 0.25, 1.5);
  check_axes<D>(8, twice, [](const auto& a, ReduceAxes axes) { return sum(a, axes); });
  check_axes<D>(32, twice, [](const auto& a, ReduceAxes axes) { return var(a, axes); });
  check_axes<D>(16, twice, [](const auto& a, ReduceAxes axes) { return logsumexp(a, axes); });
  const Tensor<float16, Cpu> half = numbers<float16>({9, 37, 6}, 0.25, 1.5);
  check_axes<D>(1, half, [](const auto& a, ReduceAxes axes) { return sum(a, axes); });
  check_axes<D>(1, half, [](const auto& a, ReduceAxes axes) { return mean(a, axes); });
  check_axes<D>(0, half, [](const auto& a, ReduceAxes axes) { return max(a, axes); });
  const Tensor<bfloat16, Cpu> brain = numbers<bfloat16>({9, 37, 6}, 0.25, 1.5);
  check_axes<D>(1, brain, [](const auto& a, ReduceAxes axes) { return sum(a, axes); });
}

template <class T, class D>
void check_exact_reductions(const Tensor<T, Cpu>& x) {
  check_axes<D>(0, x, [](const auto& a, ReduceAxes axes) { return sum(a, axes); });
  check_axes<D>(0, x, [](const auto& a, ReduceAxes axes) { return prod(a, axes); });
  check_axes<D>(0, x, [](const auto& a, ReduceAxes axes) { return min(a, axes); });
  check_axes<D>(0, x, [](const auto& a, ReduceAxes axes) { return max(a, axes); });
  check_axes<D>(0, x, [](const auto& a, ReduceAxes axes) { return any(a, axes); });
  check_axes<D>(0, x, [](const auto& a, ReduceAxes axes) { return all(a, axes); });
}
template <class T, class D>
void check_positions(const Tensor<T, Cpu>& x) {
  for (const int axis : {0, 1, -1}) {
    check_same<D>(0, [=](const auto& a) { return argmax(a, axis); }, x);
    check_same<D>(0, [=](const auto& a) { return argmin(a, axis); }, x);
    check_same<D>(0, [=](const auto& a) { return argmax(transpose(a, 0, 1), axis); }, x);
  }
  check_same<D>(0, [](const auto& a) { return argmax(a); }, x);
  check_same<D>(0, [](const auto& a) { return argmin(a); }, x);
}
TEST_CASE_TEMPLATE_DEFINE("reductions that are exact", D, exact_reductions) {
  check_exact_reductions<bool, D>(eval(numbers<float>({9, 37, 6}) > -1));
  check_exact_reductions<std::int32_t, D>(numbers<std::int32_t>({9, 37, 6}, -3, 3));
  check_axes<D>(0, numbers<std::uint8_t>({9, 37, 6}, 0, 4),
                [](const auto& a, ReduceAxes axes) { return sum(a, axes); });
  check_axes<D>(0, numbers<std::int64_t>({9, 37, 6}, -3, 3),
                [](const auto& a, ReduceAxes axes) { return prod(a, axes); });
  check_positions<std::int32_t, D>(numbers<std::int32_t>({9, 37, 6}, -20, 20));
  Tensor<float, Cpu> x = numbers<float>({9, 37, 6});
  check_positions<float, D>(x);
  // The first NaN is the answer, and the first of two zeros.
  x.at(4, 20, 3) = std::numeric_limits<float>::quiet_NaN();
  x.at(7, 20, 3) = std::numeric_limits<float>::quiet_NaN();
  check_positions<float, D>(x);
  check_positions<double, D>(zeros<double>({2, 3, 50}) * numbers<double>({50}));
  check_axes<D>(0, x, [](const auto& a, ReduceAxes axes) { return max(a, axes); });
  check_axes<D>(0, x, [](const auto& a, ReduceAxes axes) { return min(a, axes); });
}

TEST_CASE_TEMPLATE_DEFINE("reductions of shapes that break kernels", D, reduction_shapes) {
  for (const Shape& shape : {Shape{300001}, Shape{3, 70001}, Shape{20011, 3}, Shape{1, 5000}, Shape{5000, 1}, Shape{33, 1025}}) {
    const Tensor<std::int32_t, Cpu> x = numbers<std::int32_t>(shape, -1000, 1000);
    check_same<D>(0, [](const auto& a) { return sum(a); }, x);
    check_same<D>(0, [](const auto& a) { return sum(a, 0); }, x);
    check_same<D>(0, [](const auto& a) { return max(a, -1); }, x);
    check_same<D>(0, [](const auto& a) { return argmin(a, 0); }, x);
    check_same<D>(8, [](const auto& a) { return var(cast<float>(a), -1); }, x);
  }
  check_same<D>(0, [](const auto& a) { return sum(a, 0); }, zeros<float>({0, 5}));
  check_same<D>(0, [](const auto& a) { return sum(a, 1); }, zeros<float>({5, 0}));
  check_same<D>(0, [](const auto& a) { return prod(a); }, zeros<float>({0}));
  check_same<D>(0, [](const auto& a) { return mean(a); }, zeros<float>({0}));
  check_same<D>(0, [](const auto& a) { return logsumexp(a); }, zeros<float>({0}));
  check_same<D>(0, [](const auto& a) { return sum(a); }, tensor(3.f));
  CHECK_THROWS_AS(static_cast<void>(argmax(zeros<float>({3, 0}, D{}), 1)), ValueError);
  // From run to run the same bits.
  const Tensor<float, D> x = numbers<float>({1, 100003}).to(D{});
  CHECK(elements(sum(x)) == elements(sum(x)));
  CHECK(elements(sum(exp(x), 1)) == elements(sum(exp(x), 1)));
}

TEST_CASE_TEMPLATE_DEFINE("scans", D, scans) {
  for (const Shape& shape : {Shape{5, 7}, Shape{0, 3}, Shape{3, 5000}, Shape{3000, 5}, Shape{2, 33, 4}}) {
    for (const int axis : {0, -1}) {
      check_same<D>(0, [=](const auto& a) { return cumsum(a, axis); }, numbers<std::int32_t>(shape, -9, 9));
      check_same<D>(0, [=](const auto& a) { return cumprod(a, axis); }, numbers<std::int64_t>(shape, -2, 3));
      check_same<D>(64, [=](const auto& a) { return cumsum(a, axis); }, numbers<float>(shape, 0.1, 1));
      check_same<D>(64, [=](const auto& a) { return cumprod(a * a, axis); }, numbers<double>(shape, 0.99, 1.01));
      check_same<D>(0, [=](const auto& a) { return cumsum(a, axis, {.exclusive = true, .reverse = true}); },
                    numbers<std::int32_t>(shape, -9, 9));
      check_same<D>(0, [=](const auto& a) { return cumprod(a, axis, {.exclusive = true}); }, numbers<std::int64_t>(shape, -2, 3));
    }
  }
  check_same<D>(0, [](const auto& a) { return cumsum(a); }, numbers<float>({70'001}) > 0);
  check_same<D>(0, [](const auto& a) { return cumsum(transpose(a), 1); }, numbers<std::uint8_t>({130, 9}, 0, 9));
}

TEST_CASE_TEMPLATE_DEFINE("composed operations", D, composed) {
  const Tensor<double, D> x = cast<double>(counting<float, D>({3, 5})) * 0.1;
  double total = 0;
  for (const double v : elements(softmax(x, 1))) total += v;
  CHECK(total == doctest::Approx(3));
  const auto a = elements(log_softmax(x, 1));
  const auto b = elements(log(softmax(x, 1)));
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]));
  CHECK(elements(logsumexp(x, 1))[0] == doctest::Approx(std::log(1 + std::exp(.1) + std::exp(.2) + std::exp(.3) + std::exp(.4))));
  const auto labels = tensor({std::int64_t{0}, std::int64_t{4}, std::int64_t{2}}, D{});
  CHECK(elements(cross_entropy(x, labels))[0] == doctest::Approx(-(a[0] + a[9] + a[12]) / 3));
  CHECK(elements(mse_loss(x, x + 2.0))[0] == doctest::Approx(4));

  for (const Shape& shape : {Shape{4, 7}, Shape{3, 1000}, Shape{2, 40000}, Shape{5, 1}, Shape{0, 4}, Shape{3, 4, 9}}) {
    const Tensor<float, Cpu> rows = numbers<float>(shape, -8, 8);
    check_same<D>(32, [](const auto& r) { return softmax(r); }, rows);
    check_same<D>(32, [](const auto& r) { return log_softmax(r * 2) - 16; }, rows);
    check_same<D>(32, [](const auto& r) { return softmax(r, 0); }, rows);
    const Tensor<float, Cpu> weight = numbers<float>({shape[shape.rank() - 1]}, 0.5, 2, 2);
    // Small elements come from differences of larger ones, and are as exact as those: hence + 16, and - 16 above.
    check_same<D>(2, [](const auto& r, const auto& w) { return layer_norm(r, w, w - 1) + 16; }, rows, weight);
  }
  check_same<D>(1, [](const auto& r) { return softmax(r); }, numbers<float16>({6, 130}));
  check_same<D>(8, [](const auto& r) { return celu(r) + mish(r) + hardswish(r) + softsign(prelu(r, r(0, range(0, 1)))); }, numbers<float>({6, 130}));
  check_same<D>(2, [](const auto& r, const auto& w) { return layer_norm(r, w, w); }, numbers<bfloat16>({6, 130}),
                numbers<bfloat16>({130}, 0.5, 2, 2));
  check_same<D>(32, [](const auto& r) { return log_softmax(transpose(r)); }, numbers<double>({130, 6}));
  const Tensor<double, Cpu> variables = numbers<double>({6, 130});
  check_same<D>(64, [](const auto& r) { return cov(r) + cov(r, Ddof{0}); }, variables);
  check_same<D>(64, [](const auto& r) { return 2.0 + corrcoef(transpose(r), r(range(0, 2), range(0, 6)))(range(0, 9), all); },
                numbers<double>({6, 6}));
  check_same<D>(4, [](const auto& r) { return gradient(r, {.spacing = 0.5, .edge_order = 2}); }, variables);
  check_same<D>(64, [](const auto& r) { return 8.0 + gradient(r, cumsum(r(all, 0) * 0.125 + 1.0, 0), {.axis = 0}); }, variables);
}

}  // namespace conformance

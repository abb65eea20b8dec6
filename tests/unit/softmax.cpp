// SPDX-License-Identifier: Apache-2.0
// softmax, log_softmax, logsumexp, layer normalisation and the losses against loops in `long double`; rows of no
// elements, infinities and NaN; layouts that the row kernels cannot read; errors.
#include <doctest/doctest.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <situ/situ.hpp>

namespace {

using namespace situ;

constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();
constexpr float inf_f = std::numeric_limits<float>::infinity();

template <class T>
Tensor<T> numbers(const Shape& shape, float low, float high, std::uint32_t state = 3) {
  Tensor<T> x = situ::internal::Fill<T, Cpu>(shape, T{});
  auto w = x.write();
  for (std::int64_t i = 0; i < w.size(); ++i) {
    state = state * 1664525U + 1013904223U;
    w.data()[i] = T(static_cast<compute_t<T>>(low + (high - low) * static_cast<float>(state >> 8) / 16777216.0f));
  }
  return x;
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

/// The elements of `x` in row-major order.
template <class T>
std::vector<long double> values(const Tensor<T>& x) {
  std::vector<long double> list;
  for (const T v : x) list.push_back(as_number(v));
  return list;
}

template <class T>
void check_softmax(const Tensor<T>& x) {
  const Shape shape = x.shape();
  const std::vector<long double> in = values(x);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    CAPTURE(shape.to_string());
    CAPTURE(axis);
    const Tensor<T> p = softmax(x, axis);
    const Tensor<T> l = log_softmax(x, axis - shape.rank());
    const Tensor<T> s = logsumexp(x, axis);
    const Tensor<T> kept = logsumexp(x, axis, keepdims);
    REQUIRE(p.shape() == shape);
    REQUIRE(l.shape() == shape);
    REQUIRE(s.rank() == shape.rank() - 1);
    CHECK(kept.rank() == shape.rank());
    CHECK(values(kept).size() == values(s).size());
    const std::vector<long double> probabilities = values(p);
    const std::vector<long double> logarithms = values(l);
    const std::vector<long double> sums = values(s);
    std::size_t outer = 1;
    std::size_t inner = 1;
    const auto n = static_cast<std::size_t>(shape[axis]);
    for (int i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(shape[i]);
    for (int i = axis + 1; i < shape.rank(); ++i) inner *= static_cast<std::size_t>(shape[i]);
    bool right = true;
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::size_t i = 0; i < inner; ++i) {
        long double total = 0;
        for (std::size_t k = 0; k < n; ++k) total += std::exp(in[(o * n + k) * inner + i]);
        const long double expected = std::log(total);
        if (n > 0) {
          right = right && std::abs(sums[o * inner + i] - expected) <= 4 * step_of<T>() * (1 + std::abs(expected));
        } else {
          right = right && sums[o * inner + i] == -std::numeric_limits<long double>::infinity();
        }
        for (std::size_t k = 0; k < n; ++k) {
          const std::size_t at = (o * n + k) * inner + i;
          const long double wanted = std::exp(in[at]) / total;
          // exp of x - max carries the rounding of that difference
          right = right && std::abs(probabilities[at] - wanted) <=
                               step_of<T>() * wanted * (8 + 2 * std::abs(in[at])) +
                                   (std::is_same_v<T, float16> ? 0x1p-24L
                                                               : 0x1p-140L);  // the smallest numbers have a fixed step
          right = right && std::abs(logarithms[at] - std::log(wanted)) <=
                               8 * step_of<T>() * (1 + std::abs(in[at]) + std::abs(expected));
        }
      }
    }
    CHECK(right);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("softmax and its relatives agree with a loop", T, float, double, float16, bfloat16) {
  for (const Shape& shape : {Shape{1}, Shape{7}, Shape{16}, Shape{17}, Shape{257}, Shape{5, 10}, Shape{13, 31},
                             Shape{70, 3}, Shape{3, 5, 7}, Shape{2, 1, 33}, Shape{0, 4}, Shape{4, 0}}) {
    check_softmax(numbers<T>(shape, -8, 8));
  }
  const Tensor<T> x = numbers<T>(Shape{6, 10, 14}, -4, 4);
  check_softmax(x(all, range(1, 9, 2), range(13, 2, -3)));
  check_softmax(x(all, all, range(0, 9)));
  check_softmax(Tensor<T>(x.storage(), Layout{Shape{14, 60}, Strides{1, 14}, 0}));
  check_softmax(Tensor<T>(x.storage(), Layout{Shape{5, 14}, Strides{0, 1}, 0}));
}

TEST_CASE("softmax of an expression, and of numbers whose exp overflows") {
  const Tensor<float> x = numbers<float>(Shape{9, 40}, -2, 2);
  const Tensor<float> direct = softmax(eval(x * 3.f + 500.f));
  const Tensor<float> fused = softmax(x * 3.f + 500.f);
  CHECK(all(direct == fused).item());
  CHECK(sum(fused).item() == doctest::Approx(9));
  CHECK(sum(softmax(x * 3.f + 500.f, 0)).item() == doctest::Approx(40));
  CHECK(logsumexp(x + 500.f).item() == doctest::Approx(logsumexp(x).item() + 500.f));
  CHECK(logsumexp(x, {0, 1}, keepdims).shape() == Shape{1, 1});
  CHECK(logsumexp(numbers<float>(Shape{200000}, 0, 0)).item() == doctest::Approx(std::log(200000.0)));
}

TEST_CASE("infinities and NaN") {
  for (const std::int64_t axis : {0, 1}) {  // a row kernel, and the composition
    CAPTURE(axis);
    Tensor<float> x = situ::internal::Fill<float, Cpu>(Shape{3, 3}, 0.f);
    const auto at = [&](std::int64_t line, std::int64_t k) { return axis == 1 ? x.at(line, k) : x.at(k, line); };
    at(0, 0) = -inf_f;
    for (int k = 0; k < 3; ++k) at(1, k) = -inf_f;
    at(2, 1) = nan_f;
    const Tensor<float> p = softmax(x, axis);
    const Tensor<float> l = log_softmax(x, axis);
    const auto of = [&](const Tensor<float>& t, std::int64_t line, std::int64_t k) {
      return axis == 1 ? t(line, k) : t(k, line);
    };
    CHECK(of(p, 0, 0) == 0.f);
    CHECK(of(p, 0, 1) == 0.5f);
    CHECK(of(l, 0, 0) == -inf_f);
    CHECK(std::isnan(of(p, 1, 0)));
    CHECK(std::isnan(of(l, 1, 2)));
    CHECK(std::isnan(of(p, 2, 0)));
    const Tensor<float> s = logsumexp(x, axis);
    CHECK(s(0) == doctest::Approx(std::log(2.f)));
    CHECK(s(1) == -inf_f);
    CHECK(std::isnan(s(2)));
    at(0, 0) = inf_f;
    CHECK(logsumexp(x, axis)(0) == inf_f);
    CHECK(std::isnan(of(softmax(x, axis), 0, 0)));
  }
}

TEST_CASE_TEMPLATE("layer normalisation agrees with a loop", T, float, double, float16) {
  for (const Shape& shape : {Shape{5}, Shape{3, 17}, Shape{2, 4, 64}}) {
    const Tensor<T> x = numbers<T>(shape, -3, 5);
    const std::int64_t n = shape[-1];
    const Tensor<T> weight = numbers<T>(Shape{n}, 0.5f, 2, 11);
    const Tensor<T> bias = numbers<T>(Shape{n}, -1, 1, 12);
    const std::vector<long double> in = values(x);
    const std::vector<long double> scale = values(weight);
    const std::vector<long double> offset = values(bias);
    const Tensor<T> y = layer_norm(x, weight, bias);
    REQUIRE(y.shape() == shape);
    const std::vector<long double> out = values(y);
    const auto length = static_cast<std::size_t>(n);
    for (std::size_t row = 0; row < in.size() / length; ++row) {
      long double mean_of = 0;
      long double variance = 0;
      for (std::size_t i = 0; i < length; ++i) mean_of += in[row * length + i] / static_cast<long double>(n);
      for (std::size_t i = 0; i < length; ++i) {
        const long double d = in[row * length + i] - mean_of;
        variance += d * d / static_cast<long double>(n);
      }
      bool right = true;
      for (std::size_t i = 0; i < length; ++i) {
        const long double wanted =
            (in[row * length + i] - mean_of) / std::sqrt(variance + 1e-5L) * scale[i] + offset[i];
        right = right && std::abs(out[row * length + i] - wanted) <= 32 * step_of<T>();
      }
      CHECK(right);
    }
  }
  const Tensor<T> x = numbers<T>(Shape{3, 4}, 0, 1);
  CHECK_THROWS_WITH_AS(static_cast<void>(layer_norm(x, x(0, range(0, 3)), x(0, all))),
                       "layer_norm: weight has shape (3,), but x of shape (3, 4) needs (4,)", ShapeError);
  CHECK_THROWS_AS(static_cast<void>(layer_norm(x, x(0, all), x)), ShapeError);
}

TEST_CASE_TEMPLATE("cross entropy is the mean of -log_softmax at the labels", T, float, double) {
  const Tensor<T> logits = numbers<T>(Shape{37, 10}, -5, 5);
  Tensor<std::int64_t> labels = situ::internal::Fill<std::int64_t, Cpu>(Shape{37}, 0);
  for (std::int64_t i = 0; i < 37; ++i) labels.at(i) = i * 7 % 10;
  const Tensor<T> l = log_softmax(logits);
  long double total = 0;
  for (std::int64_t i = 0; i < 37; ++i) total -= as_number(l(i, i * 7 % 10)) / 37;
  CHECK(cross_entropy(logits, labels).item() == doctest::Approx(static_cast<double>(total)).epsilon(1e-6));
  CHECK(cross_entropy(logits * T(2), labels).shape() == Shape{});
  const Tensor<T> transposed(numbers<T>(Shape{10, 37}, -5, 5).storage(), Layout{Shape{37, 10}, Strides{1, 37}, 0});
  CHECK(cross_entropy(transposed, labels).item() == cross_entropy(contiguous(transposed), labels).item());
  labels.at(3) = 10;
  CHECK_THROWS_WITH_AS(static_cast<void>(cross_entropy(logits, labels)),
                       "cross_entropy: label 10 at position 3 is not one of the 10 classes, which count from 0",
                       IndexError);
  labels.at(3) = -1;
  CHECK_THROWS_AS(static_cast<void>(cross_entropy(logits, labels)), IndexError);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(cross_entropy(logits, labels(range(0, 5)))),
      "cross_entropy: logits of shape (37, 10) and labels of shape (5,); they must be (n, classes) and (n,), "
      "or with more axes after the classes (n, classes, ...) and (n, ...); use reshape or squeeze",
      ShapeError);
  CHECK(std::isnan(cross_entropy(logits(range(0, 0), all), labels(range(0, 0))).item()));
}

TEST_CASE("losses of classes: what is ignored, weighed and smoothed; one example, and several axes") {
  const Tensor<double> logits = numbers<double>(Shape{6, 4}, -5, 5), weight = tensor({1.0, 0.5, 2.0, 0.25});
  const Tensor<std::int64_t> labels = tensor<std::int64_t>({3, 0, 2, 2, 1, 3});
  const double plain = cross_entropy(logits, labels).item();
  CHECK(cross_entropy(logits, labels, CrossEntropyOptions{}).item() == doctest::Approx(plain).epsilon(1e-14));
  CHECK(cross_entropy(logits, labels, {.reduction = Reduction::sum}).item() == doctest::Approx(6 * plain));
  CHECK(cross_entropy(logits, labels, {.ignore_index = 9}).item() == doctest::Approx(plain));
  CHECK(cross_entropy(logits, labels, ones<double>({4})).item() == doctest::Approx(plain));
  // a label that is no class may be the one that is ignored, and only that
  const Tensor<std::int64_t> some = tensor<std::int64_t>({3, -100, 2, -100, 1, 3});
  const Tensor<double> each = cross_entropy(logits, some, weight, {.ignore_index = -100, .reduction = Reduction::none});
  CHECK(each.shape() == Shape{6});
  CHECK(each(1) == 0);
  CHECK(cross_entropy(logits, some, weight, {.ignore_index = -100}).item() == doctest::Approx(sum(each).item() / 3.0));
  CHECK_THROWS_AS(static_cast<void>(cross_entropy(logits, some, weight)), IndexError);
  CHECK_THROWS_WITH_AS(static_cast<void>(nll_loss(logits, some, {.ignore_index = -1})),
                       "nll_loss: label -100 at position 1 is not one of 4 classes; labels are 0 to 3", IndexError);
  CHECK(std::isnan(cross_entropy(logits, full<std::int64_t>({6}, 2), {.ignore_index = 2}).item()));
  CHECK(cross_entropy(logits, full<std::int64_t>({6}, 2), {2, Reduction::sum}).item() == 0);
  // one example, and images of classes
  const Tensor<double> first = cross_entropy(logits(range(0, 1)), labels(range(0, 1)), {.reduction = Reduction::none});
  CHECK(cross_entropy(logits(0, all), labels.element(0)).item() == doctest::Approx(first(0)));
  const Tensor<double> images = permute(reshape(logits, {2, 3, 1, 4}), {0, 3, 1, 2});
  const Tensor<std::int64_t> of_images = reshape(labels, {2, 3, 1});
  CHECK(cross_entropy(images, of_images).item() == doctest::Approx(plain));
  CHECK(nll_loss(log_softmax(images, 1), of_images).item() == doctest::Approx(plain));
  CHECK(cross_entropy(images, of_images, weight, {.reduction = Reduction::none}).shape() == Shape{2, 3, 1});
  // 16-bit floats are computed in float
  const Tensor<float16> coarse = cast<float16>(logits), heavy = cast<float16>(weight);
  const float expected = cross_entropy(cast<float>(coarse), some, cast<float>(heavy), {.ignore_index = -100}).item();
  CHECK(cross_entropy(coarse, some, heavy, {.ignore_index = -100}).item() == static_cast<float16>(expected));
  CHECK(cross_entropy(coarse, labels, {.label_smoothing = 0.1}).item() ==
        static_cast<float16>(cross_entropy(cast<float>(coarse), labels, {.label_smoothing = 0.1}).item()));
  CHECK_THROWS_WITH_AS(static_cast<void>(cross_entropy(logits, labels, weight(range(0, 3)))),
                       "cross_entropy: a weight of shape (3,); it must be (4,), an element for each class", ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(cross_entropy(logits, labels, {.label_smoothing = 1.5})),
                       "cross_entropy: label_smoothing is 1.5; it must be in [0, 1]", ValueError);
  CHECK_THROWS_AS(static_cast<void>(nll_loss(images, labels)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(nll_loss(sum(logits), labels.element(0))), ShapeError);
}

TEST_CASE("mean squared error") {
  const Tensor<float> a = tensor({1.f, 2.f, 4.f});
  const Tensor<float> b = tensor({{1.f, 1.f, 1.f}, {0.f, 2.f, 2.f}});
  CHECK(mse_loss(broadcast_to(a, b.shape()), b).item() == doctest::Approx((0 + 1 + 9 + 1 + 0 + 4) / 6.0));
  CHECK(mse_loss(a, 1.f).item() == doctest::Approx(10 / 3.0));
  CHECK_THROWS_AS(static_cast<void>(mse_loss(a, b(all, range(0, 2)))), ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(mse_loss(ones<float>({4, 1}), zeros<float>({4}) + 1)),
                       "mse_loss: shapes (4, 1) and (4,); a loss does not broadcast, make them equal with reshape, "
                       "squeeze or unsqueeze",
                       ShapeError);
}

TEST_CASE("losses of probabilities, of logits, and of outliers") {
  const Tensor<double> p = tensor({0.25, 0.5, 0.0, 1.0, 0.0}), y = tensor({1.0, 0.25, 0.0, 1.0, 1.0});
  // the last one is certain and wrong: 100, the bound of the logarithm
  CHECK(bce_loss(p, y).item() == doctest::Approx((std::log(4.0) + std::log(2.0) + 0 + 0 + 100) / 5));
  const Tensor<double> x = tensor({0.0, 2.0, -3.0, 1000.0, -1000.0, 1000.0}),
                       z = tensor({1.0, 0.0, 0.5, 1.0, 0.0, 0.0});
  const double small = (std::log(2.0) + std::log1p(std::exp(2.0)) + std::log1p(std::exp(-3.0)) + 1.5) / 3;
  CHECK(bce_with_logits_loss(x(range(0, 3)), z(range(0, 3))).item() == doctest::Approx(small).epsilon(1e-14));
  CHECK(bce_loss(sigmoid(x(range(0, 3))), z(range(0, 3))).item() == doctest::Approx(small));
  CHECK(bce_with_logits_loss(x(range(3, 6)), z(range(3, 6))).item() == doctest::Approx(1000.0 / 3));
  CHECK(bce_with_logits_loss(tensor({-50.0}), tensor({0.0})).item() == doctest::Approx(std::exp(-50.0)).epsilon(1e-12));
  CHECK(bce_with_logits_loss(tensor({50.0}), tensor({1.0})).item() == doctest::Approx(std::exp(-50.0)).epsilon(1e-12));
  const Tensor<double> a = tensor({0.0, 1.0, 5.0}), b = tensor({0.5, 3.0, 1.0});
  CHECK(huber_loss(a, b).item() == doctest::Approx((0.125 + 1.5 + 3.5) / 3));
  CHECK(huber_loss(a, b, 3).item() == doctest::Approx((0.125 + 2 + 3 * 2.5) / 3));
  CHECK_THROWS_AS(static_cast<void>(huber_loss(a, b, 0)), ValueError);
  const Tensor<double> logits = tensor({{0.0, 1.0}, {2.0, -1.0}, {0.0, 0.0}});
  const Tensor<std::int64_t> labels = tensor({std::int64_t{1}, std::int64_t{0}, std::int64_t{1}});
  CHECK(nll_loss(log_softmax(logits), labels).item() == doctest::Approx(cross_entropy(logits, labels).item()));
  CHECK(nll_loss(tensor({{std::log(0.0), -1.0}}), tensor({std::int64_t{1}})).item() == 1);
  CHECK_THROWS_AS(static_cast<void>(nll_loss(logits, labels - 1)), IndexError);  // no class counts from the end
  CHECK_THROWS_WITH_AS(
      static_cast<void>(nll_loss(logits, labels(range(0, 2)))),
      "nll_loss: log_probabilities of shape (3, 2) and labels of shape (2,); they must be (n, classes) "
      "and (n,), or with more axes after the classes (n, classes, ...) and (n, ...); use reshape or squeeze",
      ShapeError);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(bce_loss(logits, a)),
      "bce_loss: shapes (3, 2) and (3,); a loss does not broadcast, make them equal with reshape, squeeze or unsqueeze",
      ShapeError);
  CHECK_THROWS_AS(static_cast<void>(bce_with_logits_loss(logits, a)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(huber_loss(a, a(newaxis))), ShapeError);
}

TEST_CASE("layer normalisation over several axes is that over one") {
  const Tensor x = reshape(sin(arange(60.0)), {2, 5, 3, 2});
  const Tensor w = reshape(linspace(0.5, 2.0, 6), {3, 2});
  const Tensor expected = reshape(layer_norm(reshape(x, {10, 6}), flatten(w), flatten(w - 1)), {2, 5, 3, 2});
  CHECK(array_equal(layer_norm(x, w, w - 1), expected).item());
  CHECK_THROWS_AS(static_cast<void>(layer_norm(x, w, zeros<double>({6}))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(layer_norm(x, zeros<double>({2, 2}), zeros<double>({2, 2}))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(layer_norm(zeros<double>({2}), w, w)), ShapeError);
}

TEST_CASE("errors, and what does not compile") {
  const Tensor<float> x = numbers<float>(Shape{2, 3}, 0, 1);
  CHECK_THROWS_WITH_AS(static_cast<void>(softmax(x, 2)), "softmax: axis 2 is out of range for rank 2; axes are -2 to 1",
                       IndexError);
  CHECK_THROWS_AS(static_cast<void>(log_softmax(x, -3)), IndexError);
  CHECK_THROWS_AS(static_cast<void>(logsumexp(x, {0, 0})), IndexError);
  CHECK_THROWS_AS(static_cast<void>(softmax(sum(x))), IndexError);
  using Here = const Tensor<float>&;
  using There = const Tensor<float, Cuda<0>>&;
  using Labels = const Tensor<std::int64_t>&;
  constexpr auto takes_loss = []<class A, class B>(std::type_identity<A>, std::type_identity<B>) {
    return requires(A a, B b) { mse_loss(a, b); };
  };
  constexpr auto takes_labels = []<class A, class B>(std::type_identity<A>, std::type_identity<B>) {
    return requires(A a, B b) { cross_entropy(a, b); };
  };
  constexpr auto takes_norm = []<class A, class W, class B>(std::type_identity<A>, std::type_identity<W>,
                                                            std::type_identity<B>) {
    return requires(A a, W w, B b) { layer_norm(a, w, b); };
  };
  constexpr std::type_identity<Here> here;
  constexpr std::type_identity<There> there;
  constexpr std::type_identity<Labels> labels;
  constexpr std::type_identity<const Tensor<double>&> wide;
  static_assert(takes_loss(here, here) && takes_loss(there, there) && !takes_loss(here, there) &&
                !takes_loss(here, wide));
  static_assert(takes_labels(here, labels) && !takes_labels(there, labels) && !takes_labels(here, here));
  static_assert(takes_norm(here, here, here) && takes_norm(there, there, there));
  static_assert(!takes_norm(here, there, here) && !takes_norm(here, here, there) && !takes_norm(there, here, here));
  static_assert(!takes_norm(here, wide, here) && !takes_norm(here, here, wide));
  static_assert(std::same_as<decltype(softmax(std::declval<There>(), 0)), Tensor<float, Cuda<0>>>);
  static_assert(std::same_as<decltype(logsumexp(std::declval<There>() * 2)), Tensor<float, Cuda<0>>>);
}

// SPDX-License-Identifier: Apache-2.0
// max_pool2d and avg_pool2d against their definition: strides, padding, dilation, ceil_mode, NaN, and what makes no
// sense.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <situ/ops/pooling.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"

using namespace situ;
using reference::array_of;
using reference::contains;
using reference::message_of;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

template <class T>
Tensor<T> pattern(const Shape& shape) {
  return eval(cast<T>((reference::counting<double>(shape) * 7.0 % 13.0 - 6.0) * 0.25));
}

/// The extent of a pooling along one axis, as PyTorch documents it.
std::int64_t extent(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding, std::int64_t dilation,
                    bool up) {
  const double exact = static_cast<double>(in + 2 * padding - dilation * (kernel - 1) - 1) / static_cast<double>(stride) + 1;
  auto out = static_cast<std::int64_t>(up ? std::ceil(exact) : std::floor(exact));
  if (up && (out - 1) * stride >= in + padding) --out;
  return out;
}

struct Case {
  Size2d kernel;
  Size2d stride = 0;
  Size2d padding = 0;
  Size2d dilation = 1;
  bool up = false;
};
const std::vector<Case> cases{{2},
                              {.kernel = {3, 2}, .stride = {1, 2}},
                              {.kernel = {3, 2}, .stride = 2, .padding = 1},
                              {.kernel = 3, .stride = 2, .padding = 1, .up = true},
                              {.kernel = {2, 3}, .stride = 3, .padding = {1, 0}, .up = true},
                              {.kernel = {2, 4}, .stride = {2, 3}, .padding = {1, 2}, .up = true},
                              {.kernel = {1, 5}, .stride = 1, .padding = {0, 2}},
                              {.kernel = {3, 2}, .stride = {2, 1}, .padding = 1, .dilation = {2, 3}},
                              {.kernel = {2, 2}, .stride = 2, .padding = 1, .dilation = {4, 2}, .up = true}};

/// `finish(elements, positions with padding, positions in the image)` of each window.
template <class F>
Tensor<double> pooled(const Tensor<double>& x, const Case& c, F finish) {
  const Size2d stride{c.stride.height != 0 ? c.stride.height : c.kernel.height,
                      c.stride.width != 0 ? c.stride.width : c.kernel.width};
  const auto rows = extent(x.extent(2), c.kernel.height, stride.height, c.padding.height, c.dilation.height, c.up);
  const auto columns = extent(x.extent(3), c.kernel.width, stride.width, c.padding.width, c.dilation.width, c.up);
  Tensor<double> y = zeros<double>({x.extent(0), x.extent(1), rows, columns});
  auto lease = y.write();
  double* out = lease.data();
  reference::for_each_index({x.extent(0), x.extent(1), rows, columns}, [&](const reference::Indices& at) {
    std::vector<double> elements;
    std::int64_t padded = 0;
    for (std::int64_t a = 0; a < c.kernel.height; ++a) {
      for (std::int64_t b = 0; b < c.kernel.width; ++b) {
        const auto i = at[2] * stride.height - c.padding.height + a * c.dilation.height;
        const auto j = at[3] * stride.width - c.padding.width + b * c.dilation.width;
        if (i < x.extent(2) + c.padding.height && j < x.extent(3) + c.padding.width) ++padded;
        if (i >= 0 && j >= 0 && i < x.extent(2) && j < x.extent(3)) elements.push_back(x(at[0], at[1], i, j));
      }
    }
    *out++ = finish(elements, padded);
  });
  return y;
}

double largest_of(const std::vector<double>& v, std::int64_t) {
  return v.empty() ? -infinity : *std::max_element(v.begin(), v.end());
}

}  // namespace

TEST_CASE("poolings are their definition") {
  for (const Shape& shape : {Shape{2, 3, 7, 8}, Shape{1, 2, 5, 4}}) {
    const Tensor<double> x = pattern<double>(shape);
    for (const Case& c : cases) {
      CAPTURE(&c - cases.data());
      const MaxPool2dOptions of_max{c.stride, c.padding, c.dilation, c.up};
      CHECK(array_of(max_pool2d(x, c.kernel, of_max)) == array_of(pooled(x, c, largest_of)));
      if (!(c.dilation == Size2d(1))) continue;
      for (const bool counts : {false, true}) {
        const auto average = [counts](const std::vector<double>& v, std::int64_t padded) {
          double sum = 0;
          for (const double e : v) sum += e;
          return sum / static_cast<double>(counts ? padded : static_cast<std::int64_t>(v.size()));
        };
        const AvgPool2dOptions of_average{c.stride, c.padding, c.up, counts};
        CHECK(array_of(avg_pool2d(x, c.kernel, of_average)) == array_of(pooled(x, c, average)));
      }
    }
  }
}

TEST_CASE_TEMPLATE("element types, views, one image and none", T, float16, bfloat16, float) {
  const Tensor<T> x = pattern<T>({2, 3, 6, 8});
  const Tensor<double> exact = pattern<double>({2, 3, 6, 8});
  CHECK(array_of(eval(cast<double>(max_pool2d(x, 2)))) == array_of(max_pool2d(exact, 2)));
  CHECK(array_of(eval(cast<double>(avg_pool2d(x, {2, 4})))) == array_of(avg_pool2d(exact, {2, 4})));
  CHECK(array_of(max_pool2d(transpose(x), 2)) == array_of(max_pool2d(contiguous(transpose(x)), 2)));
  CHECK(array_of(avg_pool2d(x(1, all), 2)) == array_of(avg_pool2d(x, 2)(1, all)));
  CHECK(max_pool2d(zeros<T>({0, 3, 6, 8}), 2).shape() == Shape{0, 3, 3, 4});
  CHECK(avg_pool2d(zeros<T>({4, 0, 6, 8}), 2).shape() == Shape{4, 0, 3, 4});
}

TEST_CASE("NaN is the largest, minus infinity is a number, expressions") {
  const Tensor x = tensor({{{1.0, nan_value, -infinity, -infinity}, {5.0, 2.0, -infinity, -infinity}}});
  const Tensor<double> y = max_pool2d(x, 2);
  CHECK(std::isnan(y(0, 0, 0)));
  CHECK(y(0, 0, 1) == -infinity);
  CHECK(array_of(max_pool2d(-pattern<double>({1, 4, 4}), 2)) == array_of(max_pool2d(eval(-pattern<double>({1, 4, 4})), 2)));
}

TEST_CASE_TEMPLATE("rows of any length: the first of equal elements, the last NaN", T, float, double, float16) {
  // Vectors of every width and what is left of them; windows beside each other, apart, and with edges.
  const std::vector<MaxPool2dOptions> options{{.stride = 1},
                                              {.stride = 2},
                                              {.stride = {2, 3}},
                                              {.stride = 1, .padding = 1},
                                              {.stride = 2, .padding = 1, .dilation = 3}};
  for (const std::int64_t width : {7, 9, 17, 18, 31, 40, 75}) {
    Tensor<double> exact = pattern<double>({2, 1, 9, width});  // 13 values: many are equal
    exact.at(0, 0, 3, all) = -infinity;
    exact.at(0, 0, 4, all) = -infinity;
    exact.at(1, 0, 2, width / 2) = nan_value;
    exact.at(1, 0, 3, width / 2) = nan_value;
    const Tensor<T> x = eval(cast<T>(exact));
    for (const MaxPool2dOptions& o : options) {
      CAPTURE(width);
      CAPTURE(&o - options.data());
      const auto found = max_pool2d_with_indices(x, {2, 3}, o);
      const Tensor<double> values = eval(cast<double>(found.values));
      const std::vector<std::int64_t> extents{2, 1, values.extent(2), values.extent(3)};
      reference::for_each_index(extents, [&](const reference::Indices& at) {
        double largest = -infinity;
        std::int64_t position = -1;
        for (std::int64_t a = 0; a < 2; ++a) {
          for (std::int64_t b = 0; b < 3; ++b) {
            const auto i = at[2] * o.stride.height - o.padding.height + a * o.dilation.height;
            const auto j = at[3] * o.stride.width - o.padding.width + b * o.dilation.width;
            if (i < 0 || j < 0 || i >= 9 || j >= width) continue;
            const double value = exact(at[0], 0, i, j);
            if (position >= 0 && !(value > largest) && value == value) continue;
            largest = value;
            position = i * width + j;
          }
        }
        const double value = values(at[0], 0, at[2], at[3]);
        CHECK((value == largest || (std::isnan(value) && std::isnan(largest))));
        CHECK(found.indices(at[0], 0, at[2], at[3]) == position);
      });
      const Tensor<double> alone = eval(cast<double>(max_pool2d(x, {2, 3}, o)));  // without positions
      CHECK(array_of(eval(where(isnan(alone), 99.0, alone))) == array_of(eval(where(isnan(values), 99.0, values))));
    }
  }
}

TEST_CASE("poolings say what makes no sense") {
  const Tensor<float> x = ones<float>({2, 4, 5, 6});
  CHECK_THROWS_AS(static_cast<void>(max_pool2d(x, 2, {.padding = 2})), ValueError);
  CHECK_THROWS_AS(static_cast<void>(avg_pool2d(x, {2, 3}, {.padding = {0, 2}})), ValueError);
  CHECK_THROWS_AS(static_cast<void>(max_pool2d(x, 0)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(max_pool2d(x, 2, {.stride = -1})), ValueError);
  CHECK_THROWS_AS(static_cast<void>(max_pool2d(x, 6)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(avg_pool2d(x(0, 0, all), 2)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(max_pool2d(zeros<float>({2, 4, 0, 6}), 1)), ValueError);
  CHECK(contains(message_of([&] { static_cast<void>(max_pool2d(x, {3, 7})); }), "max_pool2d (width): a kernel of 7"));
}

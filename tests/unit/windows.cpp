// SPDX-License-Identifier: Apache-2.0
// Convolutions and poolings of signals and volumes: what is one without a batch, of 16-bit floats, of views, and what makes
// no sense; and where the largest elements of images are. (That they are their definition: golden/windows.cpp.)
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include <situ/situ.hpp>

#include "../reference.hpp"

using namespace situ;
using reference::array_of;
using reference::contains;
using reference::message_of;

namespace {

Tensor<double> quarters(const Shape& shape) { return eval((reference::counting<double>(shape) * 7.0 % 13.0 - 6.0) * 0.25); }

}  // namespace

TEST_CASE("signals") {
  const Tensor<double> x = quarters({2, 3, 9}), w = quarters({4, 3, 2}), b = quarters({4});
  const Tensor<double> y = conv1d(x, w, b, {.stride = 2, .padding = 1});
  CHECK(y.shape() == Shape{2, 4, 5});
  CHECK(array_of(conv1d(x(1, all), w, b, {.stride = 2, .padding = 1})) == array_of(y(1, all)));
  CHECK(array_of(conv1d(x * 2.0, w, {.groups = 1})) == array_of(eval(conv1d(x, w) * 2.0)));
  CHECK(array_of(eval(cast<double>(conv1d(cast<bfloat16>(x), cast<bfloat16>(w))))) ==
        array_of(eval(cast<double>(cast<bfloat16>(conv1d(x, w))))));
  CHECK(array_of(max_pool1d(x(0, all), 3, {.stride = 1})) == array_of(max_pool1d(x, 3, {.stride = 1})(0, all)));
  CHECK(array_of(avg_pool1d(flip(x, 2), 3)) == array_of(flip(avg_pool1d(x, 3), 2)));
  CHECK_THROWS_WITH_AS(static_cast<void>(conv1d(x, w(all, range(0, 2)))),
                       "conv1d: shape (2, 3, 9) and a weight of shape (4, 2, 2) do not fit: x has 3 channels (axis -2), the "
                       "weight reads 2 (its axis 1); they must be equal",
                       ShapeError);
  CHECK(contains(message_of([&] { static_cast<void>(conv1d(w(0, 0, all), w)); }), "(signals, channels, length)"));
  CHECK(contains(message_of([&] { static_cast<void>(conv1d(x, w, b(range(0, 3)))); }), "conv1d: a bias of shape (3,)"));
  CHECK(contains(message_of([&] { static_cast<void>(conv1d(x, w, {.dilation = 9})); }), "conv1d: a kernel of 2"));
  CHECK(contains(message_of([&] { static_cast<void>(conv1d(x, w, {.dilation = 9})); }), "but the axis has 9"));
  CHECK(contains(message_of([&] { static_cast<void>(max_pool1d(x, 2, {.padding = 2})); }),
                 "max_pool1d: the padding 2 is more than half of the kernel 2"));
  CHECK_THROWS_AS(static_cast<void>(avg_pool1d(x(0, 0, all), 2)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(conv1d(x, w, {.stride = 0})), ValueError);
}

TEST_CASE("volumes") {
  const Tensor<double> x = quarters({2, 3, 4, 5, 6}), w = quarters({2, 3, 2, 3, 2}), b = quarters({2});
  const Conv3dOptions options{.stride = {2, 1, 2}, .padding = {1, 0, 1}};
  const Tensor<double> y = conv3d(x, w, b, options);
  CHECK(y.shape() == Shape{2, 2, 3, 3, 4});
  CHECK(array_of(conv3d(x(1, all), w, b, options)) == array_of(y(1, all)));
  CHECK(array_of(eval(cast<double>(conv3d(cast<float16>(x), cast<float16>(w))))) ==
        array_of(eval(cast<double>(cast<float16>(conv3d(x, w))))));
  CHECK(conv3d(x(range(0, 0), all), w, b, options).shape() == Shape{0, 2, 3, 3, 4});
  const Tensor<double> largest = max_pool3d(x, {2, 3, 2});
  CHECK(array_of(max_pool3d(x(0, all), {2, 3, 2})) == array_of(largest(0, all)));
  CHECK(largest(1, 2, 1, 0, 2) == max(x(1, 2, range(2, 4), range(0, 3), range(4, 6))).item());
  CHECK(avg_pool3d(x, 2)(1, 2, 1, 1, 2) == doctest::Approx(mean(x(1, 2, range(2, 4), range(2, 4), range(4, 6))).item()));
  CHECK(array_of(eval(cast<double>(avg_pool3d(cast<float16>(x), 2)))) ==
        array_of(eval(cast<double>(cast<float16>(avg_pool3d(x, 2))))));
  CHECK(contains(message_of([&] { static_cast<void>(conv3d(x, w(all, range(0, 2)))); }), "x has 3 channels (axis -4)"));
  CHECK(contains(message_of([&] { static_cast<void>(conv3d(x(0, 0, all), w)); }),
                 "(volumes, channels, depth, height, width)"));
  CHECK(contains(message_of([&] { static_cast<void>(conv3d(x, w, {.dilation = {4, 1, 1}})); }), "conv3d (depth): a kernel"));
  CHECK(contains(message_of([&] { static_cast<void>(max_pool3d(x, {5, 1, 1})); }), "max_pool3d (depth): a kernel of 5"));
  // windows that reach over the end do not count unless that is said
  const Tensor<double> odd = ones<double>({1, 1, 5, 5, 5});
  CHECK(max_pool3d(odd, 2).shape() == Shape{1, 1, 2, 2, 2});
  CHECK(avg_pool3d(odd, 2).shape() == Shape{1, 1, 2, 2, 2});
  CHECK(max_pool3d(odd, 2, {.ceil_mode = true}).shape() == Shape{1, 1, 3, 3, 3});
  const Tensor<double> plane = odd(situ::all, situ::all, 0), line = plane(situ::all, situ::all, 0);
  CHECK(max_pool2d(plane, 2).shape() == Shape{1, 1, 2, 2});
  CHECK(avg_pool2d(plane, 2).shape() == Shape{1, 1, 2, 2});
  CHECK(max_pool1d(line, 2).shape() == Shape{1, 1, 2});
  CHECK(avg_pool1d(line, 2).shape() == Shape{1, 1, 2});
  // and the zeros of the padding do
  CHECK(avg_pool3d(odd, 3, {.padding = 1})(0, 0, 0, 0, 0) == 8.0 / 27);
  CHECK(avg_pool2d(plane, 3, {.padding = 1})(0, 0, 0, 0) == 4.0 / 9);
  CHECK(avg_pool1d(line, 3, {.padding = 1})(0, 0, 0) == 2.0 / 3);
  CHECK(contains(message_of([&] { static_cast<void>(avg_pool3d(x, 2, {.padding = {0, 0, 2}})); }),
                 "avg_pool3d (width): the padding 2"));
  CHECK_THROWS_AS(static_cast<void>(max_pool3d(x(0, 0, all), 2)), ShapeError);
  const std::int64_t side = 1 << 16;  // of one element, repeated
  const auto large = [&](std::int64_t depth, std::int64_t height) {
    return broadcast_to(Tensor<float>(zeros<float>({1, 1, 1, 1})), Shape{1, depth, height, side});
  };
  CHECK(contains(message_of([&] { static_cast<void>(max_pool3d(large(2, side), 2)); }),
                 "max_pool3d: the planes of shape (1, 2, 65536, 65536), or a channel"));
  CHECK(contains(message_of([&] { static_cast<void>(avg_pool3d(large(side, 2), 1)); }), "avg_pool3d: the planes of shape (1, 65536"));
}

TEST_CASE("where the largest elements are, and those of integers") {
  const Tensor<double> x = tensor({{{1.0, 5.0, 5.0}, {std::numeric_limits<double>::quiet_NaN(), 2.0, 3.0}}});
  const auto [values, indices] = max_pool2d_with_indices(x, 2, {.stride = 1});
  CHECK(std::isnan(values(0, 0, 0)));
  CHECK(values(0, 0, 1) == 5);
  CHECK(array_of(indices) == array_of(reshape(tensor<std::int64_t>({3, 1}), {1, 1, 2})));
  // a window with one row and column before the image, and the other behind it
  const auto nothing = max_pool2d_with_indices(x(all, all, range(0, 2)), 2, {.padding = 1, .dilation = 3});
  CHECK(nothing.values(0, 0, 0) == -std::numeric_limits<double>::infinity());
  CHECK(nothing.indices(0, 0, 0) == -1);
  CHECK(max_pool2d(zeros<int8_t>({1, 2, 2}), 2, {.padding = 1, .dilation = 3})(0, 0, 0) == -128);
  const Tensor<double> square = ones<double>({1, 2, 2});
  CHECK(avg_pool2d(square, 2, {.padding = 1, .dilation = 3})(0, 0, 0) == 0);
  CHECK(std::isnan(avg_pool2d(square, 2, {.padding = 1, .count_include_pad = false, .dilation = 3})(0, 0, 0)));
  const Tensor<uint8_t> bytes = cast<uint8_t>(reference::counting<double>(Shape{1, 4, 4}) * 17.0);
  CHECK(max_pool2d(bytes, 2)(0, 1, 1) == 255);
  CHECK(max_pool2d(bytes + uint8_t{0}, 4)(0, 0, 0) == 255);
}

TEST_CASE("averages of dilated windows of signals and volumes are those of their elements") {
  const Tensor<double> line = quarters({2, 3, 12});
  const Tensor<double> y = avg_pool1d(line, 3, {.stride = 2, .padding = 1, .dilation = 3});
  CHECK(y.shape() == Shape{2, 3, 4});
  for (std::int64_t at = 0; at < 4; ++at) {
    double sum = 0;
    for (std::int64_t k = 0; k < 3; ++k) {
      const std::int64_t from = at * 2 - 1 + k * 3;
      if (from >= 0 && from < 12) sum += line(1, 2, from);
    }
    CHECK(y(1, 2, at) == doctest::Approx(sum / 3));
  }
  const Tensor<double> x = quarters({1, 2, 7, 6, 9});
  for (const bool counts : {true, false}) {
    const AvgPool3dOptions options{.stride = {2, 1, 2}, .padding = 1, .count_include_pad = counts, .dilation = {3, 1, 2}};
    const Tensor<double> z = avg_pool3d(x, {2, 2, 3}, options);
    CHECK(z.shape() == Shape{1, 2, 3, 7, 4});
    for (std::int64_t d = 0; d < 3; ++d) {
      for (std::int64_t h = 0; h < 7; ++h) {
        for (std::int64_t w = 0; w < 4; ++w) {
          double sum = 0, count = 0;
          for (std::int64_t i = 0; i < 2; ++i) {
            for (std::int64_t j = 0; j < 2; ++j) {
              for (std::int64_t k = 0; k < 3; ++k) {
                const std::int64_t a = d * 2 - 1 + i * 3, b = h - 1 + j, c = w * 2 - 1 + k * 2;
                if (a < 0 || a >= 7 || b < 0 || b >= 6 || c < 0 || c >= 9) continue;
                sum += x(0, 1, a, b, c);
                ++count;
              }
            }
          }
          CHECK(z(0, 1, d, h, w) == doctest::Approx(sum / (counts ? 12 : count)));
        }
      }
    }
  }
  CHECK_THROWS_AS(static_cast<void>(avg_pool1d(line, 3, {.dilation = 0})), ValueError);
  CHECK_THROWS_AS(static_cast<void>(avg_pool3d(x, 3, {.dilation = {4, 1, 1}})), ShapeError);
}

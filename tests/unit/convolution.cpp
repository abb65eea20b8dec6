// SPDX-License-Identifier: Apache-2.0
// conv2d against its definition: strides, padding, dilation, groups, layouts, element types, tiles, threads, and what
// does not fit.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <situ/core/lane.hpp>
#include <situ/device/host_memory.hpp>
#include <situ/ops/convolution.hpp>
#include <situ/situ.hpp>
#include <situ/threads/thread_pool.hpp>

#include "../reference.hpp"

using namespace situ;
using reference::array_of;
using reference::contains;
using reference::message_of;

namespace {

template <class T>
Tensor<T> pattern(const Shape& shape, std::int64_t factor) {
  return eval(cast<T>((reference::counting<double>(shape) * static_cast<double>(factor) % 13.0 - 6.0) * 0.0625));
}

/// The definition, in double.
Tensor<double> expected(const Tensor<double>& x, const Tensor<double>& w, const Tensor<double>* b,
                        const Conv2dOptions& o) {
  const auto rows =
      (x.extent(2) + 2 * o.padding.height - o.dilation.height * (w.extent(2) - 1) - 1) / o.stride.height + 1;
  const auto columns =
      (x.extent(3) + 2 * o.padding.width - o.dilation.width * (w.extent(3) - 1) - 1) / o.stride.width + 1;
  Tensor<double> y = zeros<double>({x.extent(0), w.extent(0), rows, columns});
  auto lease = y.write();
  double* out = lease.data();
  const std::int64_t group_out = w.extent(0) / o.groups;
  reference::for_each_index({x.extent(0), w.extent(0), rows, columns}, [&](const reference::Indices& at) {
    double sum = b != nullptr ? (*b)(at[1]) : 0.0;
    reference::for_each_index({w.extent(1), w.extent(2), w.extent(3)}, [&](const reference::Indices& k) {
      const auto i = at[2] * o.stride.height - o.padding.height + k[1] * o.dilation.height;
      const auto j = at[3] * o.stride.width - o.padding.width + k[2] * o.dilation.width;
      if (i < 0 || j < 0 || i >= x.extent(2) || j >= x.extent(3)) return;
      sum += w(at[1], k[0], k[1], k[2]) * x(at[0], at[1] / group_out * w.extent(1) + k[0], i, j);
    });
    *out++ = sum;
  });
  return y;
}

template <class T>
constexpr double tolerance = OneOf<T, float16> ? 0x1p-10 : OneOf<T, bfloat16> ? 0x1p-7 : OneOf<T, float> ? 1e-6 : 1e-15;

/// The largest difference from the definition, relative to 1 + the value.
template <class T>
double difference(const Tensor<T>& y, const Tensor<T>& x, const Tensor<T>& w, const Tensor<T>* b,
                  const Conv2dOptions& options) {
  const Tensor<double> added = b != nullptr ? eval(cast<double>(*b)) : Tensor<double>();
  const Tensor<double> wanted =
      expected(eval(cast<double>(x)), eval(cast<double>(w)), b != nullptr ? &added : nullptr, options);
  REQUIRE(y.shape() == wanted.shape());
  return max(abs(cast<double>(y) - wanted) / (1.0 + abs(wanted))).item();
}

struct Case {
  Shape x, w;
  Conv2dOptions options;
};
const std::vector<Case> cases{
    {{2, 3, 5, 6}, {4, 3, 3, 3}, {}},
    {{2, 3, 5, 6}, {4, 3, 3, 3}, {.padding = 1}},
    {{2, 3, 6, 5}, {4, 3, 3, 3}, {.stride = {2, 1}, .padding = 1}},
    {{1, 1, 1, 1}, {1, 1, 1, 1}, {}},
    {{3, 5, 4, 7}, {2, 5, 1, 1}, {}},
    {{3, 5, 4, 7}, {2, 5, 1, 1}, {.stride = {2, 3}}},
    {{2, 2, 7, 8}, {3, 2, 2, 3}, {.stride = {3, 2}, .padding = {1, 2}}},
    {{2, 2, 9, 8}, {3, 2, 3, 2}, {.stride = 2, .padding = {2, 1}, .dilation = {2, 3}}},
    {{2, 6, 6, 5}, {4, 3, 3, 3}, {.padding = 1, .groups = 2}},
    {{2, 6, 6, 5}, {12, 1, 3, 3}, {.padding = 1, .groups = 6}},
    {{1, 5, 40, 40}, {2, 5, 1, 1}, {}},  // no columns are made, and the image is in several tiles
    {{1, 3, 5, 6}, {2, 3, 1, 1}, {.stride = 2}},
    {{2, 3, 7, 8}, {6, 1, 3, 2}, {.stride = {2, 3}, .padding = {1, 2}, .dilation = {2, 1}, .groups = 3}},
    {{1, 1, 2, 2}, {1, 1, 5, 5}, {.padding = 4}},    // windows that lie in the padding alone
    {{1, 1, 1, 9}, {2, 1, 1, 3}, {.stride = 4, .padding = {0, 5}}},
    {{1, 1, 3, 40}, {1, 1, 2, 19}, {.padding = {1, 4}}},  // depthwise, with long rows of the kernel
    {{1, 40, 40, 40}, {3, 40, 3, 3}, {.padding = 1}},     // an image in several tiles
    {{40, 2, 6, 6}, {3, 2, 3, 3}, {}},                    // several tiles of several images
    // Without columns: registers of channels that are not full, panels, groups, tiles of rows and of images, blocks of
    // the depth, more padding than image.
    {{2, 3, 9, 8}, {7, 3, 3, 2}, {.stride = {2, 1}, .padding = {2, 1}, .dilation = {1, 2}}},
    {{1, 2, 20, 21}, {26, 2, 3, 3}, {.padding = 1}},
    {{9, 14, 6, 5}, {16, 7, 3, 3}, {.groups = 2}},
    {{2, 60, 4, 5}, {8, 60, 3, 3}, {.padding = 1}},
    {{2, 4, 2, 3}, {8, 4, 5, 4}, {.padding = {4, 3}}},
    {{2, 4, 15, 14}, {16, 4, 3, 3}, {.stride = {2, 1}, .padding = {1, 3}, .dilation = {3, 2}}},
};

}  // namespace

TEST_CASE("conv2d is its definition") {
  for (const Case& c : cases) {
    CAPTURE(c.x.to_string());
    CAPTURE(c.w.to_string());
    const Tensor<double> x = pattern<double>(c.x, 5), w = pattern<double>(c.w, 7), b = pattern<double>({c.w[0]}, 3);
    CHECK(difference(conv2d(x, w, b, c.options), x, w, &b, c.options) <= 1e-14);
    CHECK(difference<double>(conv2d(x, w, c.options), x, w, nullptr, c.options) <= 1e-14);
  }
}

TEST_CASE_TEMPLATE("element types", T, float16, bfloat16, float) {
  const Conv2dOptions options{.stride = {1, 2}, .padding = 1, .groups = 2};
  const Tensor<T> x = pattern<T>({2, 4, 5, 6}, 5), w = pattern<T>({6, 2, 3, 3}, 7), b = pattern<T>({6}, 3);
  CHECK(difference(conv2d(x, w, b, options), x, w, &b, options) <= tolerance<T>);
  CHECK(difference<T>(conv2d(x, w, options), x, w, nullptr, options) <= tolerance<T>);
}

TEST_CASE("operands that lie in memory in any way, expressions, one image, none") {
  const Tensor<double> w = pattern<double>({4, 3, 3, 3}, 7);
  for (const Tensor<double>& x : reference::layouts<double>({2, 3, 5, 6})) {
    CHECK(array_of(conv2d(x, w)) == array_of(conv2d(eval(x * 1.0), w)));
    CHECK(array_of(conv2d(x, flip(w, 2))) == array_of(conv2d(x, contiguous(flip(w, 2)))));
  }
  const Tensor<double> x = pattern<double>({2, 3, 5, 6}, 5), b = pattern<double>({4}, 3);
  CHECK(array_of(conv2d(x * 2.0, w + 1.0, -b, {.padding = 1})) ==
        array_of(conv2d(eval(x * 2.0), eval(w + 1.0), eval(-b), Conv2dOptions{.padding = 1})));
  CHECK(array_of(conv2d(x(1, all), w, b, {})) == array_of(conv2d(x, w, b)(1, all)));
  CHECK(conv2d(zeros<double>({0, 3, 5, 6}), w, {.padding = 1}).shape() == Shape{0, 4, 5, 6});
}

TEST_CASE_TEMPLATE("depthwise: an element begins with its bias, and its terms are added in their order", T, float, double) {
  // Vectors of every width and their rests, edges in each of them, strides.
  const std::vector<Case> depthwise{
      {{2, 3, 9, 67}, {3, 1, 3, 3}, {.padding = 1, .groups = 3}},
      {{1, 2, 6, 15}, {4, 1, 3, 5}, {.padding = {1, 7}, .groups = 2}},
      {{1, 2, 7, 41}, {2, 1, 2, 3}, {.stride = {1, 2}, .padding = {0, 2}, .dilation = {2, 3}, .groups = 2}},
      {{1, 2, 11, 20}, {2, 1, 3, 4}, {.stride = {2, 3}, .padding = 3, .groups = 2}},
      // Channels side by side: blocks that overlap, rows too short for four windows.
      {{2, 19, 6, 9}, {19, 1, 3, 3}, {.padding = 1, .groups = 19}},
      {{1, 21, 8, 7}, {21, 1, 4, 3}, {.stride = {2, 1}, .padding = {1, 2}, .dilation = {1, 2}, .groups = 21}},
      {{2, 17, 3, 2}, {17, 1, 3, 3}, {.stride = 2, .padding = 1, .groups = 17}},
  };
  for (const Case& c : depthwise) {
    CAPTURE(c.x.to_string());
    const Tensor<T> x = pattern<T>(c.x, 5) * T(0.7), w = pattern<T>(c.w, 7) * T(0.3), b = pattern<T>({c.w[0]}, 3);
    const Tensor<T> y = conv2d(x, w, b, c.options);
    const Conv2dOptions& o = c.options;
    const std::int64_t each = c.w[0] / o.groups;
    bool same = true;
    reference::for_each_index({y.extent(0), y.extent(1), y.extent(2), y.extent(3)}, [&](const reference::Indices& at) {
      T sum = b(at[1]);
      reference::for_each_index({c.w[2], c.w[3]}, [&](const reference::Indices& k) {
        const auto i = at[2] * o.stride.height - o.padding.height + k[0] * o.dilation.height;
        const auto j = at[3] * o.stride.width - o.padding.width + k[1] * o.dilation.width;
        if (i < 0 || j < 0 || i >= x.extent(2) || j >= x.extent(3)) return;
        sum = internal::lane::mul_add(T(w(at[1], 0, k[0], k[1])), T(x(at[0], at[1] / each, i, j)), sum);
      });
      same = same && y(at[0], at[1], at[2], at[3]) == sum;
    });
    CHECK(same);
  }
}

TEST_CASE_TEMPLATE("zeros around the images, left out or multiplied, are the same bits", T, float, double) {
  // Windows that have the same elements of the kernel in the image: many and few, of one image and of several, rows and
  // columns of them; channels of which only some are added up at a time, or fewer, or one.
  const std::vector<Case> padded{
      {{5, 32, 7, 7}, {32, 32, 3, 3}, {.padding = 1}},
      {{2, 16, 14, 14}, {32, 16, 3, 3}, {.padding = 1}},
      {{1, 60, 30, 9}, {48, 60, 3, 3}, {.padding = 1}},
      {{3, 3, 9, 33}, {16, 3, 5, 3}, {.padding = {2, 1}}},
      {{4, 8, 6, 6}, {16, 8, 5, 5}, {.padding = 3}},
      {{1, 8, 5, 5}, {16, 8, 3, 3}, {.padding = 40}},  // many windows that read nothing
      {{2, 9, 11, 10}, {16, 9, 3, 3}, {.stride = {2, 1}, .padding = {3, 2}, .dilation = {2, 3}}},
      {{2, 1, 28, 28}, {16, 1, 3, 3}, {.padding = 1}},  // columns, both ways
      {{2, 1, 28, 28}, {16, 1, 5, 5}, {.padding = 2}},
      {{7, 32, 1, 1}, {16, 16, 3, 3}, {.padding = 1, .groups = 2}}};
  for (const Case& c : padded) {
    CAPTURE(c.x.to_string());
    const Tensor<T> x = pattern<T>(c.x, 5) / T(3), w = pattern<T>(c.w, 7) / T(7), b = pattern<T>({c.w[0]}, 3);
    const PadWidth none, rows{c.options.padding.height, c.options.padding.height};
    const PadWidth columns{c.options.padding.width, c.options.padding.width};
    Conv2dOptions inside = c.options;
    inside.padding = 0;
    CHECK(array_of(conv2d(x, w, b, c.options)) == array_of(conv2d(pad(x, {none, none, rows, columns}), w, b, inside)));
    if (internal::memory::under_address_sanitizer) continue;  // for the time of the reference
    CHECK(difference(conv2d(x, w, b, c.options), x, w, &b, c.options) <= 10 * tolerance<T>);
  }
}

TEST_CASE("an image beside others is what it is by itself, also where a weight in the padding is infinite") {
  for (const Shape& image : {Shape{3, 1, 3}, Shape{3, 5, 5}, Shape{3, 2, 9}}) {
    Tensor<float> weight = full({16, 3, 3, 3}, 1.f);
    weight.at(all, all, 0, all) = std::numeric_limits<float>::infinity();
    const auto result = [&](std::int64_t images) {
      const Tensor<float> x = full({images, image[0], image[1], image[2]}, 1.f);
      return eval(conv2d(x, weight, Conv2dOptions{.padding = 1})(0, all, all, all));
    };
    const Tensor<float> alone = result(1);
    for (const std::int64_t images : {2, 4, 43}) {
      CAPTURE(images);
      const Tensor<float> beside = result(images);
      CHECK(all(beside == alone || (beside != beside && alone != alone)).item());
    }
  }
}

TEST_CASE("indices of 32 bits are for windows of which every position has them, also behind the last") {
  constexpr std::int64_t limit = std::int64_t{1} << 31;
  for (const std::int64_t stride : {1, 3, 1000}) {
    for (const std::int64_t padding : {0, 5, 70000}) {
      for (const std::int64_t dilation : {1, 7, 100000}) {
        CAPTURE(stride);
        CAPTURE(padding);
        CAPTURE(dilation);
        const std::int64_t kernel = 5;
        const auto window_of = [&](std::int64_t in) {
          const std::int64_t out = (in + 2 * padding - (kernel - 1) * dilation - 1) / stride + 1;
          return internal::program::Window2d{{1, 1, 1, 1, 0, 1}, {in, out, kernel, stride, padding, dilation}};
        };
        std::int64_t fits = (kernel - 1) * dilation + 1, not_any_more = limit;
        REQUIRE(window_of(fits).fits_32_bits());
        while (not_any_more - fits > 1) {
          const std::int64_t middle = (fits + not_any_more) / 2;
          (window_of(middle).fits_32_bits() ? fits : not_any_more) = middle;
        }
        // Kernels of GPUs count windows and the elements of a row of the kernel by fours, and pass over what is not there.
        const internal::program::WindowAxis axis = window_of(fits).width;
        CHECK(axis.first(axis.out - 1 + 3) + (axis.kernel - 1 + 3) * axis.dilation < limit);
        CHECK(fits > limit - 2 * padding - 8 * stride - 4 * dilation - 2);  // and no fewer than need be
      }
    }
  }
  const auto high = [](std::int64_t padding) {
    return internal::program::Window2d{{30000, 30000, 1, 1, padding, 1}, {70000, 1, 1, 70000, 0, 1}};
  };
  CHECK(high(0).fits_32_bits());
  CHECK_FALSE(high(1000).fits_32_bits());
}

TEST_CASE("threads do not change a bit") {
  const int before = num_threads();
  const std::vector<Case> shared{{{9, 24, 17, 16}, {20, 24, 3, 3}, {}},  // with columns, where registers are wide
                                 {{9, 24, 17, 16}, {32, 24, 3, 3}, {}},
                                 // tiles fewer than threads, which share their panels of channels
                                 {{2, 16, 7, 7}, {200, 8, 3, 3}, {.groups = 2}},
                                 {{1, 16, 7, 7}, {176, 16, 3, 3}, {}}};
  for (const Case& c : shared) {
    CAPTURE(c.w.to_string());
    Conv2dOptions options = c.options;
    options.padding = 1;
    const Tensor<float> x = pattern<float>(c.x, 5) / 3.f, w = pattern<float>(c.w, 7) / 7.f;
    const Tensor<float> b = pattern<float>({c.w[0]}, 3);
    set_num_threads(1);
    const Tensor<float> one = conv2d(x, w, b, options);
    for (const int threads : {2, 4, 16}) {
      set_num_threads(threads);
      CHECK(array_of(conv2d(x, w, b, options)) == array_of(one));
    }
  }
  set_num_threads(before);
}

TEST_CASE("conv2d says what does not fit") {
  const Tensor<float> x = ones<float>({2, 4, 5, 6}), w = ones<float>({6, 4, 3, 3});
  const auto says = [&](const auto& call, const char* text) { return contains(message_of(call), text); };
  CHECK_THROWS_AS(static_cast<void>(conv2d(x, ones<float>({6, 3, 3, 3}))), ShapeError);
  CHECK(says([&] { static_cast<void>(conv2d(x, ones<float>({6, 3, 3, 3}))); },
             "x has 4 channels (axis -3), the weight reads 3 (its axis 1); they must be equal"));
  CHECK(says([&] { static_cast<void>(conv2d(x, w, {.groups = 2})); },
             "the weight reads 8 (its axis 1, in each of 2 groups)"));
  CHECK(says([&] { static_cast<void>(conv2d(x, w, {.groups = 3})); }, "cannot be shared by 3 groups"));
  CHECK(says([&] { static_cast<void>(conv2d(x, w, ones<float>({4}))); }, "it must be (6,)"));
  CHECK(says([&] { static_cast<void>(conv2d(x(0, 0, all), w)); }, "x has shape (images, channels, height, width)"));
  CHECK(says([&] { static_cast<void>(conv2d(x, w, {.dilation = {1, 3}})); }, "(width): a kernel of 3 with dilation 3"));
  CHECK_THROWS_AS(static_cast<void>(conv2d(x, w, {.dilation = 3})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(conv2d(x, w, {.stride = 0})), ValueError);
  CHECK_THROWS_AS(static_cast<void>(conv2d(x, w, {.padding = {0, -1}})), ValueError);
  CHECK_THROWS_AS(static_cast<void>(conv2d(x, w, {.groups = 0})), ShapeError);
}

// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions of many channels on host devices: a register holds one element of several channels, which are
// interleaved first and separated again at the end. A register never crosses the edge of an image, so small images cost
// no more per element than large ones, and strides cost nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/cpu/convolution/channel_lanes.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/plan/window.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

// Purposes of working memory.
struct LanesRead;
struct LanesWritten;
struct LaneFactors;
struct LaneSums;

/// Sums of shifted copies of an image, each with a factor, in registers of the channels. The terms are added to `begin`
/// in order.
template <class T>
class LaneSum {
 public:
  LaneSum(LaneAxis down, LaneAxis across) : down_(std::move(down)), across_(std::move(across)) {}

  /// `from` has rows of `across.in` places, `to` of `row` places.
  void operator()(const T* from, const T* factors, const T* begin, T* to, std::int64_t row) const {
    const std::int64_t above = across_.in * down_.stride, below = row * down_.step;
    const Image image{from, factors, begin, to, row};
    for (std::int64_t r = 0; r < down_.out; ++r) {
      const bool adjacent = across_.stride == 1;
      along(across_.begin, across_.end, [&]<int Count>(std::int64_t o) SITU_INLINE_LAMBDA {
        if (adjacent) add<Count, true>(image, r, o, 1, across_.step);
        else add<Count, false>(image, r, o, across_.stride, across_.step);
      });
    }
    // Outside that range, several outputs below each other have the same terms. A single one would wait for its own
    // sum.
    const auto column = [&](std::int64_t o) {
      for (std::int64_t r = 0; r < down_.begin; ++r) add<1, false>(image, r, o, 0, 0);
      along(down_.begin, down_.end,
            [&]<int Count>(std::int64_t r) SITU_INLINE_LAMBDA { add<Count, false>(image, r, o, above, below); });
      for (std::int64_t r = down_.end; r < down_.out; ++r) add<1, false>(image, r, o, 0, 0);
    };
    for (std::int64_t o = 0; o < across_.begin; ++o) column(o);
    for (std::int64_t o = across_.end; o < across_.out; ++o) column(o);
  }

 private:
  static constexpr int width = ChannelLanes<T>::width;
  using V = typename ChannelLanes<T>::Lane;

  struct Image {
    const T* from;
    const T* factors;
    const T* begin;
    T* to;
    std::int64_t row;
  };

  /// `f` for outputs [begin, end), several at a time as long as there are enough; the last may overlap those before.
  template <class F>
  [[SITU_INLINE]] static void along(std::int64_t begin, std::int64_t end, const F& f) {
    constexpr int most = 8, few = 4;
    std::int64_t o = begin;
    for (; o + most <= end; o += most) f.template operator()<most>(o);
    for (; o < end && end - begin >= few; o += few) f.template operator()<few>(std::min(o, end - few));
    for (; o < end; ++o) f.template operator()<1>(o);
  }

  template <int Count, bool Adjacent>
  [[SITU_INLINE]] void add(const Image& image, std::int64_t r, std::int64_t o, std::int64_t from_step,
                           std::int64_t to_step) const {
    add<Adjacent>(std::make_integer_sequence<int, Count>{}, image, r, o, from_step, to_step);
  }
  /// Output `o` of row `r` and others with the same terms, each in a register; the steps are the distances between
  /// them.
  template <bool Adjacent, int... At>
  [[SITU_INLINE]] void add(std::integer_sequence<int, At...>, const Image& image, std::int64_t r, std::int64_t o,
                           std::int64_t from_step, std::int64_t to_step) const {
    using lane::mul_add;  // nvcc 13 crashes if lookup finds only the friend of `Lanes`
    const std::int64_t step = Adjacent ? width : from_step * width;
    V sums[] = {((void)At, load<T, width>(image.begin))...};
    for (const LaneTerm& down : down_.terms) {
      if (r < down.begin || r >= down.end) continue;
      const T* const row = image.from + ((r * down_.stride + down.shift) * across_.in + o * across_.stride) * width;
      const T* const factors = image.factors + down.number * across_.kernel * width;
      for (const LaneTerm& term : across_.terms) {
        if (o < term.begin || o >= term.end) continue;
        const T* const at = row + term.shift * width;
        const V factor = load<T, width>(factors + term.number * width);
        ((sums[At] = mul_add(factor, load<T, width>(at + At * step), sums[At])), ...);
      }
    }
    T* const to = image.to + ((down_.first + r * down_.step) * image.row + across_.first + o * across_.step) * width;
    (store(to + At * to_step * width, sums[At]), ...);
  }

  LaneAxis down_, across_;
};

/// The weight of a block of channels, interleaved for each element of the kernel, followed by their biases.
template <class T>
[[nodiscard]] const T* lane_factors(const program::Convolution& c, const T* weight, const T* bias, std::int64_t first) {
  constexpr int width = ChannelLanes<T>::width;
  const std::int64_t kernel = c.window.kernel();
  T* const factors = scratch<LaneFactors, T>((kernel + 1) * width);
  ChannelLanes<T>::gather(weight + first * kernel, kernel, kernel, factors);
  if (bias != nullptr) std::copy_n(bias + first, width, factors + kernel * width);
  else std::fill_n(factors + kernel * width, width, T(0));
  return factors;
}

template <class T>
void depthwise_in_lanes(const program::Convolution& c, const T* x, const T* weight, const T* bias, T* y) {
  using Channels = ChannelLanes<T>;
  const LaneSum<T> sum(LaneAxis::of_windows(c.window.height), LaneAxis::of_windows(c.window.width));
  const std::int64_t image = c.window.image(), windows = c.window.windows(), kernel = c.window.kernel();
  for_each_lane_block<T>(c, c.images, [&](std::int64_t n, std::int64_t first, std::int64_t lane) {
    T* const from = scratch<LanesRead, T>(image * Channels::width);
    T* const to = scratch<LanesWritten, T>(windows * Channels::width);
    const T* const factors = lane_factors(c, weight, bias, first);
    Channels::gather(x + (n * c.groups + first) * image, image, image, from);
    sum(from, factors, factors + kernel * Channels::width, to, c.window.width.out);
    Channels::scatter(to, lane, windows, y + (n * c.groups + first + lane) * windows, windows);
  });
}

template <class T>
void depthwise_input_gradient_in_lanes(const program::Convolution& c, const T* g, const T* weight, T* x) {
  using Channels = ChannelLanes<T>;
  const program::WindowAxis& down = c.window.height;
  const program::WindowAxis& across = c.window.width;
  std::vector<LaneSum<T>> sums;  // one for image elements that use the same kernel elements
  for (std::int64_t row = 0; row < std::min(down.stride, down.in); ++row) {
    for (std::int64_t column = 0; column < std::min(across.stride, across.in); ++column)
      sums.emplace_back(LaneAxis::of_image(down, row), LaneAxis::of_image(across, column));
  }
  const std::int64_t image = c.window.image(), windows = c.window.windows(), kernel = c.window.kernel();
  for_each_lane_block<T>(c, c.images, [&](std::int64_t n, std::int64_t first, std::int64_t lane) {
    T* const from = scratch<LanesRead, T>(windows * Channels::width);
    T* const to = scratch<LanesWritten, T>(image * Channels::width);
    const T* const factors = lane_factors<T>(c, weight, nullptr, first);
    Channels::gather(g + (n * c.groups + first) * windows, windows, windows, from);
    for (const LaneSum<T>& sum : sums) sum(from, factors, factors + kernel * Channels::width, to, across.in);
    Channels::scatter(to, lane, image, x + (n * c.groups + first + lane) * image, image);
  });
}

/// Adds to `totals` the products of a block of channels of an image and of the gradient of its result, for each element
/// of the kernel. Sums in `float` cover a few rows.
template <class T>
void add_lane_products(const LaneAxis& down, const LaneAxis& across, const T* g, const T* x, double* totals) {
  using V = typename ChannelLanes<T>::Lane;
  using lane::mul_add;
  constexpr int width = ChannelLanes<T>::width;
  const std::int64_t step = across.stride * width;
  const auto product = [](const T* a, const T* b, V sum)
                           SITU_INLINE_LAMBDA { return mul_add(load<T, width>(a), load<T, width>(b), sum); };
  // As many rows as the first-level cache holds for all elements of the kernel.
  const std::int64_t rows = std::max<std::int64_t>(1, 384 / (across.out + across.in * down.stride));
  for (std::int64_t row = 0; row < down.out; row += rows) {
    for (const LaneTerm& i : down.terms) {
      const std::int64_t begin = std::max(row, i.begin), end = std::min(row + rows, i.end);
      for (const LaneTerm& j : across.terms) {
        V first(T(0)), second(T(0)), third(T(0)), fourth(T(0));
        for (std::int64_t r = begin; r < end; ++r) {
          const T* a = g + (r * across.out + j.begin) * width;
          const T* b = x + (r * down.stride + i.shift) * across.in * width + j.begin * step + j.shift * width;
          std::int64_t left = j.end - j.begin;
          for (; left >= 4; left -= 4, a += 4 * width, b += 4 * step) {
            first = product(a, b, first);
            second = product(a + width, b + step, second);
            third = product(a + 2 * width, b + 2 * step, third);
            fourth = product(a + 3 * width, b + 3 * step, fourth);
          }
          if (left > 0) second = product(a, b, second);
          if (left > 1) third = product(a + width, b + step, third);
          if (left > 2) fourth = product(a + 2 * width, b + 2 * step, fourth);
        }
        double* const total = totals + (i.number * across.kernel + j.number) * width;
        store(total, load<double, width>(total) + convert<double>((first + second) + (third + fourth)));
      }
    }
  }
}

/// Images are summed in `double`, with few channels in up to 32 parts, which are then added in order.
template <class T>
void depthwise_weight_gradient_in_lanes(const program::Convolution& c, const T* g, const T* x, T* weight) {
  using Channels = ChannelLanes<T>;
  constexpr int width = Channels::width;
  const LaneAxis down = LaneAxis::of_windows(c.window.height), across = LaneAxis::of_windows(c.window.width);
  const std::int64_t image = c.window.image(), windows = c.window.windows(), kernel = c.window.kernel();
  const std::int64_t blocks = (c.groups - 1) / width + 1, size = blocks * width * kernel;
  const std::int64_t each = (c.images - 1) / std::clamp<std::int64_t>(32 / blocks, 1, c.images) + 1;
  const std::int64_t parts = (c.images - 1) / each + 1;
  double* const totals = scratch<LaneSums, double>(parts * size);
  for_each_lane_block<T>(c, parts, [&](std::int64_t part, std::int64_t first, std::int64_t lane) {
    T* const images = scratch<LanesRead, T>(image * width);
    T* const gradients = scratch<LanesWritten, T>(windows * width);
    double* const to = totals + part * size + (first + lane) * kernel;
    std::fill_n(to, kernel * width, 0.0);
    for (std::int64_t n = part * each; n < std::min((part + 1) * each, c.images); ++n) {
      Channels::gather(x + (n * c.groups + first) * image, image, image, images);
      Channels::gather(g + (n * c.groups + first) * windows, windows, windows, gradients);
      add_lane_products(down, across, gradients, images, to);
    }
  });
  for (std::int64_t channel = 0; channel < c.groups; ++channel) {
    const std::int64_t own = channel / width * width, lane = channel - std::min(own, c.groups - width);
    for (std::int64_t k = 0; k < kernel; ++k) {
      double total = 0;
      const double* const first = totals + own * kernel + k * width + lane;
      for (std::int64_t part = 0; part < parts; ++part) total += first[part * size];
      weight[channel * kernel + k] = static_cast<T>(total);
    }
  }
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail

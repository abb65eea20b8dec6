// SPDX-License-Identifier: Apache-2.0
// Channels of images side by side, one per element of a register, and which kernel elements contribute to an output.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <situ/core/config.hpp>
#include <situ/cpu/gemm/gemm.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/transpose.hpp>
#include <situ/plan/unit.hpp>
#include <situ/plan/window.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// Element `number` of a kernel along an axis: outputs [begin, end) read position `o * stride + shift` with it.
struct LaneTerm {
  std::int64_t number, shift, begin, end;
};

/// One axis: output `o` of `out`, stored at `first + o * step`, is a sum over some elements of the kernel.
struct LaneAxis {
  std::int64_t in, out, first, step, stride, kernel;
  std::vector<LaneTerm> terms;
  std::int64_t begin = 0, end = 0;  // the outputs that have all terms

  /// The axis of the forward pass: the outputs are windows.
  [[nodiscard]] static LaneAxis of_windows(const program::WindowAxis& axis) {
    LaneAxis result{axis.in, axis.out, 0, 1, axis.stride, axis.kernel, {}};
    for (std::int64_t i = 0; i < axis.kernel; ++i) result.add(i, i * axis.dilation - axis.padding);
    return result.finished();
  }
  /// The axis of the gradient: the outputs are image elements, from `phase` on and a stride apart, which sum windows.
  [[nodiscard]] static LaneAxis of_image(const program::WindowAxis& axis, std::int64_t phase) {
    LaneAxis result{axis.out, (axis.in - phase - 1) / axis.stride + 1, phase, axis.stride, 1, axis.kernel, {}};
    for (std::int64_t i = 0; i < axis.kernel; ++i) {
      const std::int64_t distance = phase + axis.padding - i * axis.dilation;
      if (distance % axis.stride == 0) result.add(i, distance / axis.stride);
    }
    return result.finished();
  }

 private:
  void add(std::int64_t number, std::int64_t shift) {
    const std::int64_t from = shift >= 0 ? 0 : std::min(out, (-shift + stride - 1) / stride), room = in - shift;
    const std::int64_t to = room <= 0 ? from : std::clamp((room + stride - 1) / stride, from, out);
    if (from < to) terms.push_back({number, shift, from, to});
  }
  [[nodiscard]] LaneAxis finished() {
    end = out;
    for (const LaneTerm& term : terms) begin = std::max(begin, term.begin), end = std::min(end, term.end);
    end = std::max(begin, end);
    return std::move(*this);
  }
};

/// A block of channels, as many as a register has elements.
template <class T>
struct ChannelLanes {
  static constexpr int width = vector_bytes / static_cast<int>(sizeof(T));
  using Lane = Lanes<T, width>;
  using Unit = unit_t<sizeof(T)>;

  /// `to[i * width + lane] = from[lane * step + i]` for `count` places.
  static void gather(const T* from, std::int64_t step, std::int64_t count, T* to) {
    const auto part = [&](std::int64_t first, std::int64_t places) {
      transpose_plane(reinterpret_cast<const Unit*>(from + first), step, reinterpret_cast<Unit*>(to + first * width),
                      width, width, places);
    };
    in_blocks(count, part);
  }
  /// The reverse, for the lanes from `lane` on.
  static void scatter(const T* from, std::int64_t lane, std::int64_t count, T* to, std::int64_t step) {
    const auto part = [&](std::int64_t first, std::int64_t places) {
      transpose_plane(reinterpret_cast<const Unit*>(from + first * width + lane), width,
                      reinterpret_cast<Unit*>(to + first), step, places, width - lane);
    };
    in_blocks(count, part);
  }

 private:
  /// A transpose consists of square blocks: the last may overlap the one before.
  template <class F>
  static void in_blocks(std::int64_t count, const F& f) {
    const std::int64_t whole = count - count % width;
    if (whole == 0) return f(0, count);
    f(0, whole);
    if (whole < count) f(count - width, width);
  }
};

/// Whether channels fill registers, and a block of them fits, or nearly, in the second-level cache.
template <class T>
[[nodiscard]] bool is_in_lanes(const program::Convolution& c) {
  constexpr std::int64_t most = std::int64_t{1} << 14;
  return c.out_channels == 1 && c.groups >= ChannelLanes<T>::width && c.window.image() + c.window.windows() <= most &&
         c.window.kernel() <= most;
}

/// `f(times index, first channel, lane)` for the blocks of channels, on all threads. A block has the channels from
/// `first` on, and writes those from `lane` on: the last block overlaps the one before.
template <class T, class F>
void for_each_lane_block(const program::Convolution& c, std::int64_t times, const F& f) {
  constexpr std::int64_t width = ChannelLanes<T>::width;
  const std::int64_t blocks = (c.groups - 1) / width + 1;
  const std::int64_t work = c.window.windows() * c.window.kernel() * width;
  parallel_for(
      0, times * blocks, gemm_grain / std::max<std::int64_t>(1, work),
      [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) {
          const std::int64_t own = i % blocks * width, first = std::min(own, c.groups - width);
          f(i / blocks, first, own - first);
        }
      },
      1);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail

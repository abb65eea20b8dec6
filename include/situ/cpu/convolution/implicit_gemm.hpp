// SPDX-License-Identifier: Apache-2.0
// Convolutions on host devices as implicit matrix products: one of the matrices is never built; the product reads the
// elements of the windows from a copy of the images with their padding. A register holds several output channels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <situ/cpu/convolution/indirect_gemm.hpp>
#include <situ/cpu/convolution/padded_tile.hpp>
#include <situ/cpu/convolution/window_classes.hpp>
#include <situ/cpu/convolution/window_tiles.hpp>
#include <situ/cpu/gemm/gemm.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/cpu/transpose.hpp>
#include <situ/plan/unit.hpp>
#include <situ/plan/window.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

// Purposes of working memory.
struct PackedWeight;
struct PackedGradient;
struct ChannelsLast;
struct WeightSums;
struct KernelElements;
struct GradientRows;

/// Some output channels of a group, as registers.
struct ChannelPanel {
  std::int64_t first;
  int registers;
};

/// The output channels of a group in panels, each of as many registers as a tile of a product, or one fewer.
template <class T>
struct ChannelPanels {
  static constexpr std::int64_t width = GemmTile::width<T>;
  std::int64_t registers, count;

  explicit ChannelPanels(std::int64_t channels)
      : registers((channels - 1) / width + 1), count((registers - 1) / GemmTile::vectors + 1) {}

  [[nodiscard]] std::int64_t stride() const { return registers * width; }
  [[nodiscard]] ChannelPanel operator[](std::int64_t i) const {
    const std::int64_t first = registers * i / count;
    return {first * width, static_cast<int>(registers * (i + 1) / count - first)};
  }
};

/// The fewest windows of a tile, if there are enough: with fewer, products wait for their operands.
inline constexpr std::int64_t least_implicit = 64;

/// Whether output channels fill registers, and a copy of the images is smaller than their columns would be.
template <class T>
[[nodiscard]] bool is_implicit(const program::Convolution& c) {
  const program::WindowAxis& across = c.window.width;
  const std::int64_t rows = std::clamp<std::int64_t>(least_implicit / across.out, 1, c.window.height.out);
  return !c.window.pointwise() && 4 * c.out_channels >= 3 * ChannelPanels<T>(c.out_channels).stride() &&
         reach(c.window.height, rows) <= c.window.kernel() * rows * across.out / reach(across, across.out);
}

/// Whether the gradient of the images is a convolution of the gradient of the result.
[[nodiscard]] inline bool can_be_turned(const program::Window2d& window) {
  const auto can = [](const program::WindowAxis& axis) {
    return axis.stride == 1 && axis.padding <= (axis.kernel - 1) * axis.dilation;
  };
  return can(window.height) && can(window.width);
}

/// That convolution: its images are like the result, and its kernels are flipped.
[[nodiscard]] inline program::Convolution turned(program::Convolution c) {
  std::swap(c.in_channels, c.out_channels);
  for (program::WindowAxis* axis : {&c.window.height, &c.window.width}) {
    std::swap(axis->in, axis->out);
    axis->padding = (axis->kernel - 1) * axis->dilation - axis->padding;
  }
  return c;
}

/// Windows of a tile: at most `most`, and a few tiles for each thread unless they would have fewer than `least`. Rows
/// are cut from a length on that does not depend on the number of images.
[[nodiscard]] inline WindowTiles implicit_tiles(const program::Convolution& c, std::int64_t least, std::int64_t most) {
  return {c, std::clamp(c.images * c.window.windows() / 16, least, std::max(least, most)), 4 * std::max(least, most)};
}

/// The transpose of `rows` x `columns` elements, in square blocks: the last blocks overlap those before.
template <class T>
void transpose_rows(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride, std::int64_t rows,
                    std::int64_t columns) {
  using Unit = unit_t<sizeof(T)>;
  constexpr std::int64_t width = GemmTile::width<T>;
  const auto part = [&](std::int64_t first, std::int64_t count) {
    transpose_plane(reinterpret_cast<const Unit*>(from + first * from_stride), from_stride,
                    reinterpret_cast<Unit*>(to + first), to_stride, count, columns);
  };
  if (rows < width) return part(0, rows);
  part(0, rows - rows % width);
  if (rows % width != 0) part(rows - width, width);
}

/// The order of the elements of a kernel: unchanged, or flipped (for the gradient of the images, a convolution with
/// flipped kernels).
enum class KernelOrder { forward, backward };

/// The channels that a product sums before it adds to C: their weights stay in the nearest caches meanwhile.
[[nodiscard]] inline std::int64_t channels_together(const program::Convolution& c) {
  constexpr std::int64_t terms = 384;
  const std::int64_t most = std::max<std::int64_t>(1, terms / c.window.kernel());
  const std::int64_t blocks = (c.in_channels - 1) / most + 1;
  return (c.in_channels - 1) / blocks + 1;
}

/// `y` from `x` and `weight`: element k of input channel `i` for output channel `o` is `weight[o * out_step + i *
/// in_step + k]` in each group. `bias` may be null.
template <class T>
void implicit_convolution(const program::Convolution& c, const T* x, const T* weight, std::int64_t out_step,
                          std::int64_t in_step, KernelOrder order, const T* bias, T* y) {
  constexpr std::int64_t width = GemmTile::width<T>;
  const ChannelPanels<T> panels(c.out_channels);
  const std::int64_t depth = c.depth(), kernel = c.window.kernel(), stride = panels.stride();
  constexpr std::int64_t cached = std::int64_t{1} << 16;  // elements that a tile reads and writes
  const WindowTiles tiles =
      implicit_tiles(c, 128, std::min<std::int64_t>(cached / (c.in_channels + c.out_channels), 512));
  const PaddedTile<T> padded(c, tiles, c.in_channels);
  T* const packed = scratch<PackedWeight, T>(c.groups * depth * stride);
  const auto pack = [&](std::int64_t group, const ChannelPanel& panel) {
    const std::int64_t there = std::min(panel.registers * width, c.out_channels - panel.first);
    const std::int64_t blocks = in_step == kernel ? 1 : c.in_channels, rows = depth / blocks;
    const T* const from = weight + group * c.out_channels * depth + panel.first * out_step;
    T* const to = packed + group * depth * stride + depth * panel.first;
    for (std::int64_t i = 0; i < blocks; ++i) {
      pack_panel(rows, there, MatrixRef<T>{from + i * in_step, 1, out_step}, to + i * rows * panel.registers * width,
                 panel.registers * width);
    }
  };
  parallel_for(
      0, c.groups * panels.count, std::max<std::int64_t>(1, 16384 / (depth * stride / panels.count)),
      [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) pack(i / panels.count, panels[i % panels.count]);
      },
      1);
  const std::int64_t together = channels_together(c);
  const auto convolve_panel = [&](const WindowClasses& windows, std::int64_t group, const ChannelPanel& panel,
                                  const T* from, T* result) {
    const std::int64_t columns = panel.registers * width;
    alignas(64) T begin[static_cast<std::size_t>(GemmTile::columns<T>)] = {};
    const std::int64_t o = group * c.out_channels + panel.first;
    if (bias != nullptr) std::copy_n(bias + o, std::min(columns, c.out_channels - panel.first), begin);
    OffsetPair* const elements = scratch<KernelElements, OffsetPair>(kernel);
    for (std::int64_t channel = 0; channel < c.in_channels; channel += together) {
      const T* const factors = packed + (group * stride + panel.first) * depth + channel * kernel * columns;
      for (const WindowClass* part = windows.first; part < windows.first + windows.count; ++part) {
        OffsetPair* element = elements;
        for (std::int64_t i = part->down.begin; i < part->down.stop; ++i) {
          for (std::int64_t j = part->across.begin; j < part->across.stop; ++j) {
            const std::int64_t k = i * c.window.width.kernel + j;
            *element++ = {padded.element(i, j), (order == KernelOrder::forward ? k : kernel - 1 - k) * columns};
          }
        }
        const ProductSteps steps{elements, element - elements, std::min(together, c.in_channels - channel),
                                 padded.plane, kernel * columns};
        scattered_product<T>(panel.registers, part->count, part->rows, steps, from + channel * padded.plane, factors,
                             channel == 0 ? begin : nullptr, result + panel.first);
      }
    }
  };
  // A task is a tile and some panels, or all of them if there are enough tiles for the threads.
  const std::int64_t slices = std::clamp<std::int64_t>(2 * num_threads() / (tiles.count() * c.groups), 1, panels.count);
  const auto convolve_tile = [&](const WindowTile& tile, const WindowClasses& windows, std::int64_t group,
                                 std::int64_t slice) {
    const T* const from = padded(x, tile, group * c.in_channels, c.in_channels);
    const std::int64_t each = (tile.end_row - tile.first_row) * tile.width();
    T* const result = scratch<ChannelsLast, T>((tile.end - tile.first) * each * stride);
    const std::int64_t begin = panels.count * slice / slices, end = panels.count * (slice + 1) / slices;
    for (std::int64_t i = begin; i < end; ++i) convolve_panel(windows, group, panels[i], from, result);
    const std::int64_t first = panels[begin].first, last = std::min(panels[end].first, c.out_channels);
    for (std::int64_t n = tile.first; n < tile.end; ++n) {
      T* const to = y + n * c.image_out() + (group * c.out_channels + first) * c.window.windows() +
                    tile.first_row * c.window.width.out + tile.first_column;
      transpose_rows(result + (n - tile.first) * each * stride + first, stride, to, c.window.windows(), each,
                     last - first);
    }
  };
  const std::int64_t work = tiles.images_each * tiles.rows_each * tiles.columns_each * depth * stride / slices;
  parallel_for(
      0, tiles.count() * c.groups * slices, gemm_grain / std::max<std::int64_t>(1, work),
      [&](std::int64_t from, std::int64_t to) {
        // Tiles of the same rows are consecutive.
        const auto tile = [&](std::int64_t i) {
          const std::int64_t at = i / slices / c.groups;
          return tiles[at % tiles.image_tiles * tiles.parts + at / tiles.image_tiles];
        };
        WindowClasses windows(padded, tile(from), stride);
        for (std::int64_t i = from; i < to; ++i) {
          if (!windows.are_of(tile(i))) windows = WindowClasses(padded, tile(i), stride);
          convolve_tile(tile(i), windows, i / slices % c.groups, i % slices);
        }
      },
      1);
}

/// The gradient of `weight` from that of y, `g`. Tiles are summed in order in up to 16 parts, which are summed at the
/// end.
template <class T>
void implicit_weight_gradient(const program::Convolution& c, const T* g, const T* x, T* weight) {
  constexpr std::int64_t width = GemmTile::width<T>, least_rows = GemmTile::rows;
  const program::WindowAxis& across = c.window.width;
  const ChannelPanels<T> panels(c.out_channels);
  const std::int64_t depth = c.depth(), kernel = c.window.kernel(), stride = panels.stride();
  const WindowTiles tiles = implicit_tiles(c, 256, 512);  // with fewer, sums are read and written too often
  const std::int64_t size = c.groups * depth * stride;
  const std::int64_t most = std::clamp<std::int64_t>((std::int64_t{1} << 20) / size, 1, 16);
  const std::int64_t each = (tiles.count() - 1) / most + 1;
  const std::int64_t parts = (tiles.count() - 1) / each + 1;
  // A task is a part of the tiles and some input channels, with enough rows to make the packing of g cheap.
  const std::int64_t wanted = (c.in_channels - 1) / round_up((192 - 1) / kernel + 1, least_rows) + 1;
  const std::int64_t channels = std::min(c.in_channels, round_up((c.in_channels - 1) / wanted + 1, 4));
  const std::int64_t slices = (c.in_channels - 1) / channels + 1;
  const PaddedTile<T> padded(c, tiles, channels);
  T* const sums = scratch<WeightSums, T>(parts * size);
  // The rows of a product: channels, for one kernel element after another, with the windows that have it in the image;
  // or with too few channels, elements of all channels, with all windows.
  const bool by_element = channels >= least_rows;
  const std::int64_t together = by_element ? 2 * least_rows : channels * kernel;  // their operands stay cached
  const auto sum_tiles = [&](std::int64_t part, std::int64_t group, std::int64_t first_channel) {
    const std::int64_t count = std::min(channels, c.in_channels - first_channel);
    T* const sum = sums + part * size + (group * depth + first_channel * kernel) * stride;
    const std::int64_t row_count = by_element ? count : count * kernel;
    OffsetPair* const rows = scratch<GradientRows, OffsetPair>(row_count);
    for (std::int64_t i = 0; i < row_count; ++i) {
      const std::int64_t channel = by_element ? i : i / kernel, k = by_element ? 0 : i % kernel;
      rows[i] = {channel * padded.plane + padded.element(k / across.kernel, k % across.kernel),
                 (by_element ? i * kernel : i) * stride};
    }
    for (std::int64_t index = part * each; index < std::min((part + 1) * each, tiles.count()); ++index) {
      const WindowTile tile = tiles[index];
      const T* const from = padded(x, tile, group * c.in_channels + first_channel, count);
      const std::int64_t windows = (tile.end_row - tile.first_row) * tile.width();
      for (std::int64_t p = 0; p < panels.count; ++p) {
        const auto [first, registers] = panels[p];
        const std::int64_t columns = registers * width;
        T* const panel = scratch<PackedGradient, T>((tile.end - tile.first) * windows * columns);
        for (std::int64_t n = tile.first; n < tile.end; ++n) {
          const T* const source = g + n * c.image_out() + (group * c.out_channels + first) * c.window.windows() +
                                  tile.first_row * across.out + tile.first_column;
          pack_panel(windows, std::min(columns, c.out_channels - first), MatrixRef<T>{source, 1, c.window.windows()},
                     panel + (n - tile.first) * windows * columns, columns);
        }
        alignas(64) static constexpr T zeros[static_cast<std::size_t>(GemmTile::columns<T>)] = {};
        const T* const begin = index == part * each ? zeros : nullptr;
        const RowSteps windows_of(padded, tile, columns, by_element);
        for (std::int64_t row = 0; row < row_count; row += together) {
          for (std::int64_t k = 0; k < (by_element ? kernel : 1); ++k) {
            const std::int64_t i = k / across.kernel, j = k % across.kernel;
            const std::int64_t left = by_element ? tile.column_of(across.first_window(j)) : 0;
            ProductSteps steps = windows_of.of_row[i];
            if (by_element) steps.length = tile.column_of(across.end_window(j)) - left;
            scattered_product<T>(registers, std::min(row_count - row, together), rows + row, steps,
                                 from + padded.element(i, j) + left * across.stride, panel + left * columns, begin,
                                 sum + first + k * stride);
          }
        }
      }
    }
  };
  const std::int64_t work = c.images * c.window.windows() / parts * channels * kernel * stride;
  parallel_for(
      0, parts * c.groups * slices, gemm_grain / std::max<std::int64_t>(1, work),
      [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i)
          sum_tiles(i / slices / c.groups, i / slices % c.groups, i % slices * channels);
      },
      1);
  // Rows of the sums are columns of the weight.
  parallel_for(
      0, c.groups * c.in_channels, std::max<std::int64_t>(1, 16384 / (kernel * stride)),
      [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) {
          T* const sum = sums + i * kernel * stride;
          for (std::int64_t part = 1; part < parts; ++part) {
            for (std::int64_t at = 0; at < kernel * stride; at += width) {
              constexpr int n = static_cast<int>(width);
              store(sum + at, load<T, n>(sum + at) + load<T, n>(sum + part * size + at));
            }
          }
          using Unit = unit_t<sizeof(T)>;
          T* const first = weight + i / c.in_channels * c.out_channels * depth + i % c.in_channels * kernel;
          transpose_plane(reinterpret_cast<const Unit*>(sum), stride, reinterpret_cast<Unit*>(first), depth, kernel,
                          c.out_channels);
        }
      },
      1);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail

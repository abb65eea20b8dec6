// SPDX-License-Identifier: Apache-2.0
// Convolutions on host devices, as matrix products (im2col): one column for each window, with the elements that it
// reads, built for one tile at a time so that it stays in the cache. The same bits with any number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <situ/cpu/convolution/depthwise.hpp>
#include <situ/cpu/convolution/implicit_gemm.hpp>
#include <situ/cpu/convolution/window_run.hpp>
#include <situ/cpu/convolution/window_tiles.hpp>
#include <situ/cpu/gemm/gemm.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/window.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

// Purposes of working memory.
struct WindowColumns;
struct TileResult;
struct TileGradient;
struct WeightPart;
struct WeightParts;

/// Tiles whose columns take half a megabyte, or up to four (in `float`) if that makes a row whole.
template <class T>
[[nodiscard]] WindowTiles column_tiles(const program::Convolution& c) {
  constexpr std::int64_t most_elements = std::int64_t{1} << 17;
  constexpr std::int64_t most_columns = 1024;  // enough for a fast product
  const std::int64_t columns = std::clamp<std::int64_t>(most_elements / c.depth(), 1, most_columns);
  if (c.window.width.out <= 8 * most_elements / c.depth()) return {c, columns, c.window.width.out};
  return {c, round_up(columns, GemmTile::columns<T>), 0};
}

/// `f(i)` for all of [0, count): in parallel if there are as many as threads, otherwise one after another, each on all
/// threads.
template <class F>
void for_each_task(std::int64_t count, const F& f) {
  const auto run = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) f(i);
  };
  if (count < num_threads()) run(0, count);
  else parallel_for(0, count, 1, run, 1);
}

/// Calls `f(row of the columns, c, i, j)` for channel c and kernel element (i, j) of a group, on all idle threads.
template <class F>
void for_each_channel(const program::Convolution& c, std::int64_t columns, const F& f) {
  const std::int64_t work = c.window.kernel() * columns;
  parallel_for(
      0, c.in_channels, std::max<std::int64_t>(1, (std::int64_t{1} << 15) / std::max<std::int64_t>(1, work)),
      [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t channel = from; channel < to; ++channel) {
          for (std::int64_t i = 0; i < c.window.height.kernel; ++i) {
            for (std::int64_t j = 0; j < c.window.width.kernel; ++j) f(channel, i, j);
          }
        }
      },
      1);
}

/// The work on one tile and one group of channels.
template <class T>
struct TileOf {
  const program::Convolution& c;
  WindowTile tile;
  std::int64_t group;

  [[nodiscard]] std::int64_t image_columns() const { return (tile.end_row - tile.first_row) * tile.width(); }
  [[nodiscard]] std::int64_t columns() const { return (tile.end - tile.first) * image_columns(); }

  /// The first element of this group in image `n` of x.
  [[nodiscard]] std::int64_t in_offset(std::int64_t n) const {
    return n * c.image_in() + group * c.in_channels * c.window.image();
  }
  /// The first window of this tile in image `n` of y, first channel of the group; channels are `windows()` apart.
  [[nodiscard]] std::int64_t out_offset(std::int64_t n) const {
    return n * c.image_out() + group * c.out_channels * c.window.windows() + tile.first_row * c.window.width.out +
           tile.first_column;
  }

  /// The matrix of `depth()` rows with a column for each window.
  [[nodiscard]] MatrixRef<T> columns_of(const T* x) const {
    if (c.window.pointwise() && tile.end - tile.first == 1) {
      return {x + in_offset(tile.first) + tile.first_row * c.window.width.in + tile.first_column, c.window.image(), 1};
    }
    T* const all = scratch<WindowColumns, T>(c.depth() * columns());
    for_each_channel(c, columns(), [&](std::int64_t channel, std::int64_t i, std::int64_t j) {
      const WindowRun run = run_of(i, j);
      T* to = all + ((channel * c.window.height.kernel + i) * c.window.width.kernel + j) * columns();
      for (std::int64_t n = tile.first; n < tile.end; ++n) {
        copy_rows(run, x + in_offset(n) + channel * c.window.image(), to);
        to += image_columns();
      }
    });
    return {all, columns(), 1};
  }

  /// Adds the columns to the elements that the windows read; elements in the padding are set to 0 first.
  void add_columns(T* all, T* x) const {
    for_each_channel(c, columns(), [&](std::int64_t channel, std::int64_t i, std::int64_t j) {
      const WindowRun run = run_of(i, j);
      T* const from = all + ((channel * c.window.height.kernel + i) * c.window.width.kernel + j) * columns();
      if (run.adjacent) {  // for all images before any is read: a load stalls on smaller stores that it spans
        const std::int64_t above = (run.row - tile.first_row) * tile.width();
        for (std::int64_t n = 0; n < tile.end - tile.first; ++n) clear_edges(run, from + n * image_columns() + above);
      }
      for (std::int64_t n = tile.first; n < tile.end; ++n) {
        add_rows(run, from + (n - tile.first) * image_columns(), x + in_offset(n) + channel * c.window.image());
      }
    });
  }

  /// The gradient of y in this tile: a matrix with a row for each channel and a column for each window.
  [[nodiscard]] MatrixRef<T> gradient_of(const T* y) const {
    if (tile.end - tile.first == 1) return {y + out_offset(tile.first), c.window.windows(), 1};
    T* const all = scratch<TileGradient, T>(c.out_channels * columns());
    for (std::int64_t channel = 0; channel < c.out_channels; ++channel) {
      for (std::int64_t n = tile.first; n < tile.end; ++n) {
        const T* const from = y + out_offset(n) + channel * c.window.windows();
        std::copy_n(from, image_columns(), all + channel * columns() + (n - tile.first) * image_columns());
      }
    }
    return {all, columns(), 1};
  }

  /// Writes a matrix of the same form into y, plus the bias if there is one.
  void write_result(const T* all, const T* bias, T* y) const {
    for (std::int64_t channel = 0; channel < c.out_channels; ++channel) {
      const T added = bias != nullptr ? bias[group * c.out_channels + channel] : T(0);
      for (std::int64_t n = tile.first; n < tile.end; ++n) {
        const T* const from = all + channel * columns() + (n - tile.first) * image_columns();
        T* const to = y + out_offset(n) + channel * c.window.windows();
        if (bias == nullptr) std::copy_n(from, image_columns(), to);
        else std::transform(from, from + image_columns(), to, [added](T v) { return v + added; });
      }
    }
  }

 private:
  /// Its windows are counted from the first column of the tile.
  [[nodiscard]] WindowRun run_of(std::int64_t i, std::int64_t j) const {
    WindowRun run(c.window, tile.first_row, tile.end_row, tile.first_column, tile.end_column, i, j);
    run.begin -= tile.first_column;
    run.end -= tile.first_column;
    return run;
  }

  /// Writes 0 where a window in the rows of `run` has its element in the padding.
  void clear_edges(const WindowRun& run, T* rows) const {
    const std::int64_t width = tile.width();
    T* const end = rows + (run.end_row - run.row) * width;
    if (run.begin > 0) {
      for (T* to = rows; to != end; to += width) {
        for (std::int64_t o = 0; o < run.begin; ++o) to[o] = T(0);
      }
    }
    if (run.end < width) {
      for (T* to = rows; to != end; to += width) {
        for (std::int64_t o = run.end; o < width; ++o) to[o] = T(0);
      }
    }
  }

  void copy_rows(const WindowRun& run, const T* plane, T* to) const {
    const std::int64_t width = tile.width(), stride = c.window.width.stride;
    const std::int64_t rows = run.end_row - run.row, count = run.end - run.begin;
    to = std::fill_n(to, (run.row - tile.first_row) * width, T(0));
    if (rows > 0) {
      const T* from = plane + run.first;
      const std::int64_t step = c.window.height.stride * c.window.width.in;
      if (run.adjacent) {
        std::copy_n(from, (rows - 1) * width + count, to + run.begin);
      } else if (stride == 1) {
        for (std::int64_t row = 0; row < rows; ++row) {
          std::copy_n(from + row * step, count, to + row * width + run.begin);
        }
      } else {
        for (std::int64_t row = 0; row < rows; ++row) {
          for (std::int64_t o = 0; o < count; ++o) to[row * width + run.begin + o] = from[row * step + o * stride];
        }
      }
      clear_edges(run, to);
    }
    std::fill_n(to + rows * width, (tile.end_row - run.end_row) * width, T(0));
  }

  void add_rows(const WindowRun& run, const T* from, T* plane) const {
    const std::int64_t width = tile.width(), stride = c.window.width.stride;
    const std::int64_t rows = run.end_row - run.row, count = run.end - run.begin;
    if (rows == 0) return;
    from += (run.row - tile.first_row) * width + run.begin;
    T* to = plane + run.first;
    if (run.adjacent) {  // the gaps between the rows are 0
      for (std::int64_t o = 0; o < (rows - 1) * width + count; ++o) to[o] += from[o];
      return;
    }
    for (std::int64_t row = 0; row < rows; ++row, from += width, to += c.window.height.stride * c.window.width.in) {
      if (stride == 1) {
        for (std::int64_t o = 0; o < count; ++o) to[o] += from[o];
      } else {
        for (std::int64_t o = 0; o < count; ++o) to[o * stride] += from[o];
      }
    }
  }
};

}  // namespace detail

/// `y`, the convolution of `x` with `weight`; `bias` is null or has an element for each channel of y.
template <class T>
  requires OneOf<T, float, double>
void convolve(Backend, const program::Convolution& c, const T* x, const T* weight, const T* bias, T* y) {
  if (detail::is_depthwise(c)) return detail::depthwise(c, x, weight, bias, y);
  // Below that depth the transpose of the result takes longer than building the columns.
  if (c.depth() >= 16 && detail::is_implicit<T>(c)) {
    return detail::implicit_convolution(c, x, weight, c.depth(), c.window.kernel(), detail::KernelOrder::forward, bias,
                                        y);
  }
  const detail::WindowTiles tiles = detail::column_tiles<T>(c);
  detail::for_each_task(tiles.count(), [&](std::int64_t index) {
    for (std::int64_t group = 0; group < c.groups; ++group) {
      const detail::TileOf<T> part{c, tiles[index], group};
      T* const result = scratch<detail::TileResult, T>(c.out_channels * part.columns());
      gemm<T>(c.out_channels, part.columns(), c.depth(), {weight + group * c.out_channels * c.depth(), c.depth(), 1},
              part.columns_of(x), result);
      part.write_result(result, bias, y);
    }
  });
}

/// The gradient of `x` from that of y, `g`.
template <class T>
  requires OneOf<T, float, double>
void convolve_input_gradient(Backend, const program::Convolution& c, const T* g, const T* weight, T* x) {
  if (detail::is_depthwise(c)) return detail::depthwise_input_gradient(c, g, weight, x);
  if (detail::can_be_turned(c.window) && detail::is_implicit<T>(detail::turned(c))) {
    return detail::implicit_convolution<T>(detail::turned(c), g, weight, c.window.kernel(), c.depth(),
                                           detail::KernelOrder::backward, nullptr, x);
  }
  const detail::WindowTiles tiles = detail::column_tiles<T>(c);
  // The parts of an image add to the same elements, so they run one after another.
  detail::for_each_task(tiles.image_tiles, [&](std::int64_t index) {
    const detail::WindowTile all = tiles[index * tiles.parts];
    std::fill(x + all.first * c.image_in(), x + all.end * c.image_in(), T(0));
    for (std::int64_t i = 0; i < tiles.parts; ++i) {
      for (std::int64_t group = 0; group < c.groups; ++group) {
        const detail::TileOf<T> part{c, tiles[index * tiles.parts + i], group};
        T* const columns = scratch<detail::TileResult, T>(c.depth() * part.columns());
        gemm<T>(c.depth(), part.columns(), c.out_channels, {weight + group * c.out_channels * c.depth(), 1, c.depth()},
                part.gradient_of(g), columns);
        part.add_columns(columns, x);
      }
    }
  });
}

/// The gradient of `weight` from that of y, `g`.
template <class T>
  requires OneOf<T, float, double>
void convolve_weight_gradient(Backend, const program::Convolution& c, const T* g, const T* x, T* weight) {
  if (detail::is_depthwise(c)) return detail::depthwise_weight_gradient(c, g, x, weight);
  if (detail::is_implicit<T>(c)) return detail::implicit_weight_gradient(c, g, x, weight);
  const detail::WindowTiles tiles = detail::column_tiles<T>(c);
  const std::int64_t weights = c.weights();
  // Each sum covers several tiles, and the sums are added in their order at the end; up to 16, as memory allows.
  const std::int64_t most = std::clamp<std::int64_t>((std::int64_t{1} << 20) / weights, 1, 16);
  const std::int64_t each = (tiles.count() - 1) / most + 1;
  const std::int64_t count = (tiles.count() - 1) / each + 1;
  T* const sums = scratch<detail::WeightParts, T>(count * weights);
  detail::for_each_task(count, [&](std::int64_t sum) {
    T* const to = sums + sum * weights;
    for (std::int64_t index = sum * each; index < std::min((sum + 1) * each, tiles.count()); ++index) {
      for (std::int64_t group = 0; group < c.groups; ++group) {
        const detail::TileOf<T> part{c, tiles[index], group};
        const std::int64_t size = c.out_channels * c.depth();
        const bool first = index == sum * each;
        T* const product = first ? to + group * size : scratch<detail::WeightPart, T>(size);
        const MatrixRef<T> columns = part.columns_of(x);
        gemm<T>(c.out_channels, c.depth(), part.columns(), part.gradient_of(g),
                {columns.data, columns.column, columns.row}, product);
        for (std::int64_t i = 0; i < size && !first; ++i) to[group * size + i] += product[i];
      }
    }
  });
  parallel_for(0, weights, 4096, [&](std::int64_t from, std::int64_t to) {
    std::copy(sums + from, sums + to, weight + from);
    for (std::int64_t sum = 1; sum < count; ++sum) {
      for (std::int64_t i = from; i < to; ++i) weight[i] += sums[sum * weights + i];
    }
  });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu

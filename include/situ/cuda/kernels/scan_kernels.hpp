// SPDX-License-Identifier: Apache-2.0
// The kernels of running sums and products: along rows and along columns. If these are few and long, their parts are
// scanned concurrently: a first launch computes the total of each part, a second one scans it, starting from the totals
// before.
#pragma once

#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/program.hpp>
#include <situ/cuda/kernels/reduce/contiguous.hpp>
#include <situ/cuda/kernels/scan_operators.hpp>

#if defined(SITU_CUDA)

#include <algorithm>
#include <cstdint>

namespace situ::internal::cuda::detail {

/// The stage of a launch for the parts of a row.
enum class ScanStage : std::int32_t { whole_rows, totals, parts };

/// Each thread scans `items` adjacent elements, and `width` threads a tile, tile by tile. Rows are whole vectors.
template <class Source, class Scan, class T, class Out, int V>
struct ScanRows {
  static constexpr int threads = 256;
  static constexpr const char* name = "scan rows";
  static constexpr int items = V == 1 ? 4 : V < 8 ? 8 : V;
  using Total = typename Scan::Total;

  Source source;
  Out* out;
  std::int64_t rows;
  std::int64_t length;
  int width;
  int parts;
  std::int64_t part;
  Total* totals;  // `parts` for each row
  ScanStage stage;

  SITU_DEVICE void operator()() const {
    const int thread = kernel::thread();
    if (width < threads) {
      const std::int64_t row = kernel::block() * (threads / width) + thread / width;
      const bool inside = row < rows;
      Total carry = Scan::identity();
      // All threads of a warp take part in each iteration: their number is the same for all rows.
      for (std::int64_t tile = 0; tile < length; tile += std::int64_t{width} * items) {
        const std::int64_t first = tile + (thread & (width - 1)) * items;
        scan_tile((inside ? row : 0) * length, first, inside ? length : 0, carry,
                  [&](const Total& own) { return scan_lanes<Scan>(own, width); });
      }
      return;
    }
    std::int64_t row = kernel::block();
    int at = 0;
    if (parts > 1) {
      at = static_cast<int>(row % parts);
      row /= parts;
    }
    Total carry = Scan::identity();
    if (stage == ScanStage::parts) {
      for (int i = thread; i < at; i += threads) Scan::merge(carry, totals[row * parts + i]);
      merge_block_to_all<Scan, threads>(carry);
    }
    const std::int64_t begin = at * part;
    const std::int64_t end = begin + part < length ? begin + part : length;
    for (std::int64_t tile = begin; tile < end; tile += std::int64_t{threads} * items) {
      scan_tile(row * length, tile + thread * items, end, carry,
                [](const Total& own) { return scan_block<Scan, threads>(own); });
    }
    if (stage == ScanStage::totals && thread == 0) totals[row * parts + at] = carry;
  }

  /// Elements `[first, first + items)` below `end` of the row that begins at `row`, in whole vectors.
  template <class ScanThreads>
  SITU_DEVICE void scan_tile(std::int64_t row, std::int64_t first, std::int64_t end, Total& carry,
                             const ScanThreads& scan_threads) const {
    Total sums[std::size_t{items}];
    decltype(source.template load<V>(row)) loaded[std::size_t{items / V}]{};
    unrolled<items / V>([&](int v) {
      if (first + v * V < end) loaded[v] = source.template load<V>(row + first + v * V);
    });
    unrolled<items / V>([&](int v) {
      const bool inside = first + v * V < end;
      unrolled<V>([&](int e) {
        sums[v * V + e] = inside ? Scan::lift(static_cast<T>(source.value(loaded[v], e))) : Scan::identity();
      });
    });
    unrolled<items - 1>([&](int i) {
      Total sum = sums[i];
      Scan::merge(sum, sums[i + 1]);
      sums[i + 1] = sum;
    });
    const Prefix<Total> prefix = scan_threads(sums[items - 1]);
    Total before = carry;
    Scan::merge(before, prefix.before);
    Scan::merge(carry, prefix.all);
    if (stage == ScanStage::totals) return;
    unrolled<items / V>([&](int v) {
      if (first + v * V >= end) return;
      kernel::Vector<Out, V> vector;
      unrolled<V>([&](int e) { vector.element[e] = result(before, sums[v * V + e]); });
      *reinterpret_cast<kernel::Vector<Out, V>*>(out + row + first + v * V) = vector;
    });
  }

  SITU_DEVICE static Out result(const Total& before, const Total& sum) {
    Total total = before;
    Scan::merge(total, sum);
    return kernel::computed(reduction::rounded<Out>(Scan::value(total)));
  }
};

/// A thread scans a column, or a part of one.
template <class Source, class Scan, class T, class Out>
struct ScanColumns {
  static constexpr int threads = 256;
  static constexpr const char* name = "scan columns";
  static constexpr int unroll = 4;
  using Total = typename Scan::Total;

  Source source;
  Out* out;
  std::int64_t columns;  // outer * inner
  std::int64_t length;
  std::int64_t inner;
  int parts;
  std::int64_t part;
  Total* totals;  // `columns` for each part
  ScanStage stage;

  SITU_DEVICE void operator()() const {
    const std::int64_t id = kernel::block() * threads + kernel::thread();
    if (id >= columns * parts) return;
    const std::int64_t at = parts > 1 ? id / columns : 0;
    const std::int64_t column = id - at * columns;
    const std::int64_t outer = column / inner;
    const std::int64_t first = outer * length * inner + (column - outer * inner);
    Total total = Scan::identity();
    if (stage == ScanStage::parts) {
      for (std::int64_t i = 0; i < at; ++i) Scan::merge(total, totals[i * columns + column]);
    }
    const std::int64_t end = (at + 1) * part < length ? (at + 1) * part : length;
    std::int64_t row = at * part;
    for (; row + unroll <= end; row += unroll) step<unroll>(total, first + row * inner);
    for (; row < end; ++row) step<1>(total, first + row * inner);
    if (stage == ScanStage::totals) totals[id] = total;
  }

  template <int Rows>
  SITU_DEVICE void step(Total& total, std::int64_t index) const {
    T values[std::size_t{Rows}];
    read_vectors<Rows, 1>(source, index, inner, values);
    unrolled<Rows>([&](int i) {
      Scan::merge(total, Scan::lift(values[i]));
      if (stage == ScanStage::totals) return;
      out[index + i * inner] = kernel::computed(reduction::rounded<Out>(Scan::value(total)));
    });
  }
};

}  // namespace situ::internal::cuda::detail

#endif

// SPDX-License-Identifier: Apache-2.0
// Prefix sums and products (scans) along an axis on GPUs. No block waits for another; the same bits in every run.
#pragma once

#include <situ/core/shape.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/kernels/program_source.hpp>
#include <situ/cuda/kernels/reduce/reduce.hpp>
#include <situ/cuda/kernels/scan_kernels.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/reduction.hpp>

#if defined(SITU_CUDA)

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <situ/cuda/runtime/launch.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/cuda/runtime/stream.hpp>

namespace situ::internal::cuda {

namespace detail {

/// Launches `kernel` once, or twice for parts, with memory for their totals.
template <class Kernel>
void launch_scan(const Backend& backend, Kernel kernel, std::int64_t blocks, std::int64_t scans) {
  if (kernel.parts == 1) return launch(backend, Grid{blocks}, kernel);
  const Scratch totals(backend, static_cast<std::size_t>(scans * kernel.parts) * sizeof(typename Kernel::Total));
  kernel.totals = totals.as<typename Kernel::Total>();
  kernel.stage = ScanStage::totals;
  launch(backend, Grid{blocks}, kernel);
  kernel.stage = ScanStage::parts;
  launch(backend, Grid{blocks}, kernel);
}

template <int V, class Scan, class T, class Source, class Out>
void scan_rows(const Backend& backend, const Source& source, std::int64_t rows, std::int64_t length, Out* out) {
  using Kernel = ScanRows<Source, Scan, T, Out, V>;
  const std::int64_t seats = std::int64_t{4} * multiprocessors(backend);
  Kernel kernel{source, out, rows, length, 1, 1, length, nullptr, ScanStage::whole_rows};
  if (length <= 1024) {
    while (kernel.width < kernel::warp_size && std::int64_t{kernel.width} * Kernel::items < length) kernel.width *= 2;
    return launch(backend, Grid{blocks_of(rows, Kernel::threads / kernel.width)}, kernel);
  }
  kernel.width = Kernel::threads;
  constexpr std::int64_t tile = std::int64_t{Kernel::threads} * Kernel::items;
  if (rows < seats && length >= 4 * tile) {
    kernel.part = blocks_of(blocks_of(length, std::min(blocks_of(2 * seats, rows), length / (2 * tile))), tile) * tile;
    kernel.parts = static_cast<int>(blocks_of(length, kernel.part));
  }
  launch_scan(backend, kernel, rows * kernel.parts, rows);
}

template <class Scan, class T, class Source, class Out>
void scan_columns(const Backend& backend, const Source& source, std::int64_t columns, std::int64_t length,
                  std::int64_t inner, Out* out) {
  using Kernel = ScanColumns<Source, Scan, T, Out>;
  Kernel kernel{source, out, columns, length, inner, 1, length, nullptr, ScanStage::whole_rows};
  const std::int64_t seats = std::int64_t{1024} * multiprocessors(backend);  // threads
  if (columns < seats && length >= 64) {
    // Each part also adds the totals before it, so there are no more parts than rows in each.
    const auto most = static_cast<std::int64_t>(std::sqrt(static_cast<double>(length)));
    kernel.part = blocks_of(length, std::clamp<std::int64_t>(seats / columns, 1, most));
    kernel.parts = static_cast<int>(blocks_of(length, kernel.part));
  }
  launch_scan(backend, kernel, blocks_of(columns * kernel.parts, Kernel::threads), columns);
}

}  // namespace detail

/// Scans `program`, evaluated over `shape` with elements `T`, along `axis`; the results are stored row-major at `out`.
template <Element T, class Operation, class Program>
void scan(const Backend& backend, const Operation&, const Program& program, std::span<const program::Operand> operands,
          const Shape& shape, int axis, void* out) {
  using Read = reduction::read_t<T>;
  using Scan = typename detail::ScanOf<Operation, Read>::type;
  using Out = typename Operation::template result<T>;
  constexpr int vector = detail::read_vector<Program, T>;
  operands = operands.first(static_cast<std::size_t>(leaf_count_v<Program>));
  const OperandLayout layout(operands, shape);
  const StridedSource<Program> source(program, operands, layout);
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  for (int i = 0; i < axis; ++i) outer *= shape[i];
  for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  const std::int64_t length = shape[axis];
  Out* const to = static_cast<Out*>(out);
  if (inner > 1) return detail::scan_columns<Scan, Read>(backend, source, outer * inner, length, inner, to);
  if (length % vector == 0 && are_aligned_for(operands, vector) && (layout.flat() || layout.vectors(vector))) {
    return detail::scan_rows<vector, Scan, Read>(backend, source, outer, length, to);
  }
  detail::scan_rows<1, Scan, Read>(backend, source, outer, length, to);
}

}  // namespace situ::internal::cuda

#endif

// SPDX-License-Identifier: Apache-2.0
// The kernels of host devices that read at indices: take, gather; and one_hot.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/cpu/index_positions.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/unit.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

inline constexpr std::int64_t gather_grain = 16384;

/// Threads share rows of at least a cache line one by one, shorter rows many at a time.
[[nodiscard]] inline std::int64_t rows_alignment(std::int64_t length) { return length >= 64 ? 1 : 64; }

struct TakeScratch;

/// `to[i] = from[position of indices[i] * step]`.
template <class Unit, class At>
void take_elements(const Unit* from, std::int64_t step, const IndexedAxis<ThrowIndexError>& indexed, const At* indices,
                   std::int64_t count, Unit* to) {
  each_position_tile(indexed, indices, 1, count,
                     [=](const std::int64_t* positions, std::int64_t first, std::int64_t length) {
                       for (std::int64_t i = 0; i < length; ++i) to[first + i] = from[positions[i] * step];
                     });
}

}  // namespace detail

/// `out[o, k, i] = x[o, indices[k], i]` for `shape` (outer, extent, inner) of `x`, which may have any strides;
/// `indices` and `out`, of shape (outer, count, inner), are contiguous. Messages name `operation` and `axis`.
template <Element T, IntegerElement At>
void take(Backend, const program::Operand& x, const Shape& shape, const At* indices, std::int64_t count,
          IndexedOperation operation, int axis, void* out) {
  const IndexedAxis<ThrowIndexError> indexed{{}, operation, axis, shape[1]};
  const std::int64_t inner = shape[2];
  using Unit = alias_of_t<unit_t<sizeof(T)>>;
  const Unit* from = static_cast<const Unit*>(x.data);
  Unit* to = static_cast<Unit*>(out);
  const std::int64_t grain = std::max<std::int64_t>(1, detail::gather_grain / std::max<std::int64_t>(1, inner));
  if (inner == 1 && shape[0] == 1) {
    const auto some = [&](std::int64_t begin, std::int64_t end) {
      detail::take_elements(from, x.strides[1], indexed, indices + begin, end - begin, to + begin);
    };
    return parallel_for(0, count, grain, some, 64);
  }
  const bool adjacent = x.strides[2] == 1;
  // If the outer axes use every index many times, it is checked and turned into an offset once.
  const std::int64_t* offsets = nullptr;
  if (shape[0] > 1) {
    std::int64_t* all_offsets = scratch<detail::TakeScratch, std::int64_t>(count);
    detail::positions_of(indexed, indices, 1, count, all_offsets);
    for (std::int64_t k = 0; k < count; ++k) all_offsets[k] *= x.strides[1];
    offsets = all_offsets;
  }
  const auto rows = [&](std::int64_t begin, std::int64_t end) {
    std::int64_t k = begin % count;
    const Unit* plane = from + begin / count * x.strides[0];
    if (inner == 1) {
      while (begin < end) {
        const std::int64_t run = std::min(count - k, end - begin);
        for (std::int64_t j = 0; j < run; ++j) to[begin + j] = plane[offsets[k + j]];
        begin += run;
        plane += x.strides[0];
        k = 0;
      }
      return;
    }
    for (Unit* target = to + begin * inner; begin < end; ++begin, target += inner) {
      const Unit* source = plane + (offsets != nullptr ? offsets[k] : indexed.position(indices[k]) * x.strides[1]);
      if (adjacent) std::memcpy(target, source, static_cast<std::size_t>(inner) * sizeof(Unit));
      else
        for (std::int64_t i = 0; i < inner; ++i) target[i] = source[i * x.strides[2]];
      if (++k == count) {
        k = 0;
        plane += x.strides[0];
      }
    }
  };
  parallel_for(0, shape[0] * count, grain, rows, detail::rows_alignment(inner));
}

/// `out[..., j, ...] = x[..., indices[..., j, ...], ...]`: `indices` and `x` have strides for the shape of `out`, which
/// is contiguous; the stride of `x` along `axis` is that of its own axis, of `extent` positions.
template <Element T, IntegerElement At>
void gather_along(Backend, const program::Operand& x, std::int64_t extent, const program::Operand& indices, int axis,
                  const program::Destination& out) {
  const IndexedAxis<ThrowIndexError> indexed{{}, IndexedOperation::gather, axis, extent};
  std::array<Strides, 2> strides{x.strides, indices.strides};
  const std::int64_t step = x.strides[static_cast<std::size_t>(axis)];
  strides[0][static_cast<std::size_t>(axis)] = 0;
  const program::Axes<2> axes(strides, out.shape);
  const int last = axes.rank() - 1;
  using Unit = alias_of_t<unit_t<sizeof(T)>>;
  const Unit* from = static_cast<const Unit*>(x.data);
  const At* index = static_cast<const At*>(indices.data);
  Unit* to = static_cast<Unit*>(out.data);
  const bool adjacent = is_row_major(out.shape, indices.strides);
  parallel_for(0, out.shape.count(), detail::gather_grain, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t x_step = axes.stride(last, 0), index_step = axes.stride(last, 1);
    alignas(64) detail::PositionTile tile;
    const std::int64_t* const positions = tile.data();
    for (std::int64_t length = 0; begin < end; begin += length) {
      length = std::min(detail::index_tile, end - begin);
      if (adjacent) {
        detail::positions_of(indexed, index + begin, 1, length, tile.data());
      } else {
        axes.for_each_run(begin, begin + length, [&](const auto& offsets, std::int64_t first, std::int64_t run) {
          detail::positions_of(indexed, index + offsets[1], index_step, run, tile.data() + (first - begin));
        });
      }
      axes.for_each_run(begin, begin + length, [=](const auto& offsets, std::int64_t first, std::int64_t run) {
        const Unit* const source = from + offsets[0];
        const std::int64_t* const at = positions + (first - begin);
        Unit* const target = to + first;
        for (std::int64_t j = 0; j < run; ++j) target[j] = source[j * x_step + at[j] * step];
      });
    }
  });
}

/// `out[i, labels[i]] = 1`, 0 elsewhere, for `count` labels; all are contiguous.
template <Element T, IntegerElement At>
void one_hot(Backend, const At* labels, std::int64_t count, std::int64_t classes, IndexedOperation operation, T* out) {
  const std::int64_t grain = std::max<std::int64_t>(1, detail::gather_grain / std::max<std::int64_t>(1, classes));
  const auto range = [&](std::int64_t begin, std::int64_t end) {
    std::fill(out + begin * classes, out + end * classes, T{});
    for (std::int64_t i = begin; i < end; ++i) {
      const auto label = static_cast<std::int64_t>(labels[i]);
      if (label < 0 || label >= classes) {
        throw IndexError(index_message(operation, label, 0, classes, i));
      }
      out[i * classes + label] = static_cast<T>(compute_t<T>(1));
    }
  };
  parallel_for(0, count, grain, range, detail::rows_alignment(classes));
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu

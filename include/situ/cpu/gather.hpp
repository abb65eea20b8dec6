// SPDX-License-Identifier: Apache-2.0
// The kernels of host devices that read or write where an index says: take, gather, scatter and what else writes there,
// one_hot.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
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

/// Threads share rows of at least a cache line one by one, shorter ones many at a time.
[[nodiscard]] inline std::int64_t rows_alignment(std::int64_t length) { return length >= 64 ? 1 : 64; }

struct TakeScratch;

}  // namespace detail

/// `out[o, k, i] = x[o, indices[k], i]` for `shape` (outer, extent, inner) of `x`, which may have any strides;
/// `indices` and `out`, of shape (outer, count, inner), lie without gaps. `operation` and `axis` are what a message
/// calls them.
template <Element T, IntegerElement At>
void take(Backend, const program::Operand& x, const Shape& shape, const At* indices, std::int64_t count,
          IndexedOperation operation, int axis, void* out) {
  const IndexedAxis<ThrowIndexError> indexed{{}, operation, axis, shape[1]};
  const std::int64_t inner = shape[2];
  using Unit = alias_of_t<unit_t<sizeof(T)>>;
  const Unit* from = static_cast<const Unit*>(x.data);
  Unit* to = static_cast<Unit*>(out);
  const std::int64_t grain = std::max<std::int64_t>(1, detail::gather_grain / std::max<std::int64_t>(1, inner));
  const bool adjacent = x.strides[2] == 1;
  const auto offset_of = [&](std::int64_t k) { return indexed.position(indices[k]) * x.strides[1]; };
  // Where the outer axes use every index many times, it is checked and turned into an offset once.
  const std::int64_t* offsets = nullptr;
  if (shape[0] > 1) {
    std::int64_t* all_offsets = scratch<detail::TakeScratch, std::int64_t>(count);
    for (std::int64_t k = 0; k < count; ++k) all_offsets[k] = offset_of(k);
    offsets = all_offsets;
  }
  const auto rows = [&](std::int64_t begin, std::int64_t end) {
    std::int64_t k = begin % count;
    const Unit* plane = from + begin / count * x.strides[0];
    if (inner == 1 && offsets != nullptr) {
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
      const Unit* source = plane + (offsets != nullptr ? offsets[k] : offset_of(k));
      if (inner == 1) *target = *source;
      else if (adjacent) std::memcpy(target, source, static_cast<std::size_t>(inner) * sizeof(Unit));
      else for (std::int64_t i = 0; i < inner; ++i) target[i] = source[i * x.strides[2]];
      if (++k == count) {
        k = 0;
        plane += x.strides[0];
      }
    }
  };
  parallel_for(0, shape[0] * count, grain, rows, detail::rows_alignment(inner));
}

/// `out[..., j, ...] = x[..., indices[..., j, ...], ...]`: `indices` and `x` have strides for the shape of `out`, which
/// lies without gaps; the stride of `x` along `axis` is that of its own axis, of `extent` positions.
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
  parallel_for(0, out.shape.count(), detail::gather_grain, [&](std::int64_t begin, std::int64_t end) {
    axes.for_each_run(begin, end, [&](const auto& offsets, std::int64_t first, std::int64_t length) {
      for (std::int64_t j = 0; j < length; ++j) {
        const std::int64_t position = indexed.position(index[offsets[1] + j * axes.stride(last, 1)]);
        to[first + j] = from[offsets[0] + j * axes.stride(last, 0) + position * step];
      }
    });
  });
}

/// `out[..., indices[..., j, ...], ...] = source[..., j, ...]`, combined with what stands there by `Rule` (see
/// formula/scatter.hpp), in the order of `j`: of several writes to one place the last one wins, and sums are rounded in
/// that order, whatever the number of threads. `indices` and `source` have strides for the shape of `out` with `count`
/// positions along `axis`.
template <class Rule, Element T, IntegerElement At>
void scatter_along(Backend, const program::Operand& source, const program::Operand& indices, std::int64_t count,
                   IndexedOperation operation, int axis, const program::Destination& out) {
  const IndexedAxis<ThrowIndexError> indexed{{}, operation, axis, out.shape[axis]};
  const auto a = static_cast<std::size_t>(axis);
  const Shape lines = without_axis(out.shape, axis);
  const program::Axes<3> axes({without_axis(source.strides, axis, lines), without_axis(indices.strides, axis, lines),
                               without_axis(out.strides, axis, lines)}, lines);
  const int last = axes.rank() - 1;
  const T* from = static_cast<const T*>(source.data);
  const At* index = static_cast<const At*>(indices.data);
  T* to = static_cast<T*>(out.data);
  const std::int64_t from_step = axes.stride(last, 0), index_step = axes.stride(last, 1);
  const std::int64_t to_step = axes.stride(last, 2);
  const auto position_of = [&](std::int64_t offset, std::int64_t j) {
    return indexed.position(index[offset + j * indices.strides[a]]);
  };
  // A run of lines, whose elements `j` all have one index.
  const auto combine_run = [&](const auto& at, std::int64_t j, std::int64_t position, std::int64_t length) {
    T* const places = to + at[2] + position * out.strides[a];
    const T* const values = from + at[0] + j * source.strides[a];
    if (to_step == 1 && from_step == 1) {
      for (std::int64_t i = 0; i < length; ++i) places[i] = Rule::combine(places[i], values[i]);
    } else {
      for (std::int64_t i = 0; i < length; ++i) {
        places[i * to_step] = Rule::combine(places[i * to_step], values[i * from_step]);
      }
    }
  };
  // A thread has whole lines along the axis, some at a time, so that their elements stay in the cache for every `j`.
  constexpr std::int64_t block = 256;
  const auto some_lines = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = begin; first < end; first += block) {
      for (std::int64_t j = 0; j < count; ++j) {
        axes.for_each_run(first, std::min(first + block, end), [&](const auto& at, auto, std::int64_t length) {
          if (index_step == 0) return combine_run(at, j, position_of(at[1], j), length);
          for (std::int64_t i = 0; i < length; ++i) {
            T& place = to[at[2] + i * to_step + position_of(at[1] + i * index_step, j) * out.strides[a]];
            place = Rule::combine(place, from[at[0] + i * from_step + j * source.strides[a]]);
          }
        });
      }
    }
  };
  // Or, where one index is for all lines, as of `index_add`, and a thread would have a few cache lines of each part:
  // some of the positions, of all indices those that lead there.
  const auto some_positions = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = 0; j < count; ++j) {
      const std::int64_t position = position_of(0, j);
      if (position < begin || position >= end) continue;
      axes.for_each_run(0, lines.count(), [&](const auto& at, auto, std::int64_t length) {
        combine_run(at, j, position, length);
      });
    }
  };
  const std::int64_t threads = num_threads(), positions = out.shape[axis];
  const bool one_index = axes.rank() == 1 && index_step == 0;
  if (one_index && lines.count() >= 16 && lines.count() < 1024 * threads && positions >= 16 * threads) {
    const bool serial = lines.count() * count < 2 * detail::gather_grain;
    parallel_for(0, positions, serial ? positions : positions / threads, some_positions, 1);
    return;
  }
  // Of lines beside each other a thread has whole cache lines, or each would read them all.
  const std::int64_t alignment = to_step == 1 ? 64 : detail::rows_alignment(count);
  const std::int64_t grain = detail::gather_grain / std::max<std::int64_t>(1, count);
  parallel_for(0, lines.count(), std::max(alignment, grain), some_lines, alignment);
}

/// `out[i, labels[i]] = 1`, 0 elsewhere, for `count` labels; all lie without gaps.
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

// SPDX-License-Identifier: Apache-2.0
// The scatter kernels of GPUs. If several writes go to one place, the last in the order of the indices wins, and sums
// are rounded in that order, so that the result is bitwise equal to the CPU's, and the same in every run: no atomic
// additions. If there are many lines, each is processed by a thread; if there are a few long ones, they are first
// sorted by target, as are those in which more elements may go to one place than are added in their own type.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/kernels/gather_index.hpp>
#include <situ/cuda/kernels/sort/segments.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/formula/scatter.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/program.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

/// The layout of a scatter's operands along the axis.
template <class T, class At>
struct ScatterOperands {
  const T* source;
  const At* indices;
  T* out;
  std::int64_t source_step;
  std::int64_t index_step;
  std::int64_t out_step;
  ReportedAxis axis;
};

/// The new element at a place: a computed value, or one of the elements, converted for 16-bit floats.
template <class Rule, class T>
SITU_DEVICE T placed(T value) {
  if constexpr (Rule::replaces) return value;  // moved units have no compute type
  else if constexpr (Rule::accumulates || !std::same_as<T, compute_t<T>>) return kernel::computed(value);
  else return value;
}

/// A thread for each line along the axis.
template <class Rule, class T, class At>
struct ScatterLines {
  static constexpr int threads = 128;
  static constexpr int each = 4;
  static constexpr const char* name = Rule::name;
  ScatterOperands<T, At> x;
  StridedIndex<std::int64_t, 3> places;  // of the lines in source, indices and out
  std::int64_t lines;
  std::int64_t count;

  SITU_DEVICE void operator()() const {
    const std::int64_t line = kernel::block() * threads + kernel::thread();
    if (line >= lines) return;
    const auto offsets = places.locate(line);
    const T* source = x.source + offsets[0];
    const At* indices = x.indices + offsets[1];
    T* out = x.out + offsets[2];
    for (std::int64_t j = 0; j < count; j += each) {
      // The loads of several steps together, so that they overlap, and unconditionally: beyond the end, the first one
      // again.
      At at[each]{};
      T values[each]{};
      kernel::unrolled<each>([&](int e) {
        const std::int64_t step = j + e < count ? j + e : j;
        at[e] = indices[step * x.index_step];
        values[e] = source[step * x.source_step];
      });
      kernel::unrolled<each>([&](int e) {
        if (j + e >= count) return;
        const std::int64_t position = x.axis.position(at[e]);
        if (position < 0) return;
        T& place = out[position * x.out_step];
        place = placed<Rule>(Rule::combine(place, values[e]));
      });
    }
  }
};

/// Writes target and `j` of every index as one number, with the target in the upper half: a stable sort by target keeps
/// the order of `j`. An index out of range gets the target after the last.
template <class At>
struct ScatterTargets {
  static constexpr int threads = 256;
  static constexpr const char* name = "scatter: targets";
  const At* indices;
  std::uint64_t* targets;
  std::int64_t total;
  Divider<std::int64_t> count;  // of a line
  std::int64_t index_step;
  StridedIndex<std::int64_t, 1> places;
  ReportedAxis axis;
  std::int64_t first;  // of the rows

  SITU_DEVICE void operator()() const {
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= total) return;
    const std::int64_t row = count.quotient(i);
    const std::int64_t j = i - row * static_cast<std::int64_t>(count.divisor);
    const std::int64_t position = axis.position(indices[places.locate(first + row)[0] + j * index_step]);
    targets[i] =
        static_cast<std::uint64_t>(position < 0 ? axis.extent : position) << 32 | static_cast<std::uint64_t>(j);
  }
};

/// The first of the sorted indices of one target writes for all of them.
template <class Rule, class T, class At>
struct ScatterRuns {
  static constexpr int threads = 256;
  static constexpr int each = 8;
  static constexpr const char* name = Rule::name;
  ScatterOperands<T, At> x;
  const std::uint64_t* targets;
  StridedIndex<std::int64_t, 3> places;
  std::int64_t total;
  std::int64_t count;
  bool shared;                  // all lines have the same indices
  Divider<std::int64_t> inner;  // their number in that case, else `count`
  std::int64_t first;           // of the lines

  SITU_DEVICE void operator()() const {
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= total) return;
    // adjacent threads: adjacent lines if these share their indices, else adjacent indices
    const std::int64_t quotient = inner.quotient(i);
    const std::int64_t rest = i - quotient * static_cast<std::int64_t>(inner.divisor);
    const std::int64_t line = shared ? rest : quotient;
    std::int64_t at = shared ? quotient : rest;
    const std::uint64_t* sorted = targets + (shared ? 0 : line * count);
    const std::uint64_t target = sorted[at] >> 32;
    const bool leads = Rule::replaces ? at == count - 1 || sorted[at + 1] >> 32 != target  // the last write wins
                                      : at == 0 || sorted[at - 1] >> 32 != target;
    if (!leads || static_cast<std::int64_t>(target) == x.axis.extent) return;
    const auto offsets = places.locate(first + line);
    const T* source = x.source + offsets[0];
    T& place = x.out[offsets[2] + static_cast<std::int64_t>(target) * x.out_step];
    if constexpr (scattering::widens_many<Rule, T>) {
      const std::int64_t behind = at + scattering::most_narrow;
      if (behind < count && sorted[behind] >> 32 == target) {
        place = placed<Rule>(static_cast<T>(combined(static_cast<double>(place), source, sorted, at)));
        return;
      }
    }
    place = placed<Rule>(combined(T{place}, source, sorted, at));
  }

 private:
  /// `value` combined with the elements of the run that begins at `at`.
  template <class Value>
  SITU_DEVICE Value combined(Value value, const T* source, const std::uint64_t* sorted, std::int64_t at) const {
    const std::uint64_t target = sorted[at] >> 32;
    for (bool more = true; more; at += each) {
      bool mine[each];
      // Initialized: an array that is only set conditionally may end up in local memory.
      T values[each]{};
      kernel::unrolled<each>([&](int e) {  // the loads of several steps overlap
        mine[e] = at + e < count && sorted[at + e] >> 32 == target;
        if (mine[e]) values[e] = source[static_cast<std::int64_t>(sorted[at + e] & 0xffffffffu) * x.source_step];
      });
      kernel::unrolled<each>([&](int e) {
        if (mine[e]) value = Rule::combine(value, static_cast<Value>(values[e]));
      });
      more = mine[each - 1];
    }
    return value;
  }
};

/// From this many lines on, one thread for each keeps a GPU busy.
inline constexpr std::int64_t enough_lines = 65536;
/// Up to this length of a line, processing it in one thread costs less than sorting.
inline constexpr std::int64_t short_line = 32;
/// The most indices sorted at a time, if from more than one row: 256 MiB, twice.
inline constexpr std::int64_t most_keys = std::int64_t{1} << 25;

/// The number of bits of the numbers 0 to `most`.
[[nodiscard]] constexpr int bits_of(std::uint64_t most) {
  int bits = 0;
  for (; most != 0; most >>= 1) ++bits;
  return bits;
}

template <class Rule, class T, class At>
void scatter_in_order(const Backend& backend, const ScatterOperands<T, At>& operands, const Shape& shape,
                      const std::array<Strides, 3>& strides, std::int64_t lines, std::int64_t count) {
  bool shared_indices = true;
  for (int axis = 0; axis < shape.rank(); ++axis)
    shared_indices = shared_indices && (shape[axis] == 1 || strides[1][static_cast<std::size_t>(axis)] == 0);
  const StridedIndex<std::int64_t, 1> index_places(program::Axes<1>({strides[1]}, shape));
  const StridedIndex<std::int64_t, 3> places(program::Axes<3>(strides, shape));
  const std::int64_t rows = shared_indices ? 1 : lines;
  const std::int64_t together = std::min(rows, std::max<std::int64_t>(1, most_keys / count));
  const auto bytes = static_cast<std::size_t>(together * count) * sizeof(std::uint64_t);
  const Scratch targets(backend, bytes);
  const Scratch spare(backend, bytes);
  for (std::int64_t first = 0; first < rows; first += together) {
    const std::int64_t part = std::min(together, rows - first);
    const ScatterTargets<At> target{operands.indices,    targets.template as<std::uint64_t>(),
                                    part * count,        Divider<std::int64_t>(count),
                                    operands.index_step, index_places,
                                    operands.axis,       first};
    launch(backend, Grid{(part * count + target.threads - 1) / target.threads, 1}, target);
    SegmentedSort segments;
    segments.keys = targets.data();
    segments.spare_keys = spare.data();
    segments.key_bytes = 8;
    segments.rows = part;
    segments.count = count;
    segments.first_bit = 32;
    segments.end_bit = 32 + bits_of(static_cast<std::uint64_t>(operands.axis.extent));
    const void* sorted = sort_segments(backend, segments).keys;
    const std::int64_t written = shared_indices ? lines : part;
    const ScatterRuns<Rule, T, At> runs{operands,
                                        static_cast<const std::uint64_t*>(sorted),
                                        places,
                                        written * count,
                                        count,
                                        shared_indices,
                                        Divider<std::int64_t>(shared_indices ? lines : count),
                                        first};
    launch(backend, Grid{(written * count + runs.threads - 1) / runs.threads, 1}, runs);
  }
}

}  // namespace detail

/// `out[..., indices[..., j, ...], ...] = source[..., j, ...]`, combined by `Rule` in the order of `j`; see the CPU's.
template <class Rule, Element T, IntegerElement At>
void scatter_along(const Backend& backend, const program::Operand& source, const program::Operand& indices,
                   std::int64_t count, IndexedOperation operation, int axis, const program::Destination& out) {
  const auto a = static_cast<std::size_t>(axis);
  const Shape lines = without_axis(out.shape, axis);
  const std::int64_t line_count = lines.count();
  if (line_count == 0 || count == 0) return;
  const std::array<Strides, 3> strides{without_axis(source.strides, axis, lines),
                                       without_axis(indices.strides, axis, lines),
                                       without_axis(out.strides, axis, lines)};
  const FaultReports reports(backend);
  const auto run = [&]<class U>(U*) {
    const detail::ScatterOperands<U, At> operands{static_cast<const U*>(source.data),
                                                  static_cast<const At*>(indices.data),
                                                  static_cast<U*>(out.data),
                                                  source.strides[a],
                                                  indices.strides[a],
                                                  out.strides[a],
                                                  {{reports}, operation, axis, out.shape[axis]}};
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const bool may_be_crowded = scattering::widens_many<Rule, U> && count > scattering::most_narrow;
    if ((line_count < detail::enough_lines || may_be_crowded) && count > detail::short_line && count <= most &&
        out.shape[axis] <= most) {
      detail::scatter_in_order<Rule, U, At>(backend, operands, lines, strides, line_count, count);
      return;
    }
    const StridedIndex<std::int64_t, 3> places(program::Axes<3>(strides, lines));
    const detail::ScatterLines<Rule, U, At> kernel{operands, places, line_count, count};
    launch(backend, Grid{(line_count + kernel.threads - 1) / kernel.threads, 1}, kernel);
  };
  if constexpr (Rule::replaces) run(static_cast<detail::Unit<sizeof(T)>*>(nullptr));
  else run(static_cast<T*>(nullptr));
}

}  // namespace situ::internal::cuda

#endif

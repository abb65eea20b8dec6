// SPDX-License-Identifier: Apache-2.0
// Copies along one axis, and of one plane: the inner loops of strided copies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/cpu/lanes/native.hpp>
#include <situ/cpu/non_temporal.hpp>
#include <situ/cpu/shuffle.hpp>
#include <situ/cpu/transpose.hpp>
#include <situ/plan/unit.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// The integer of `Bytes` bytes that represents an element of any type of this size.
template <int Bytes>
using alias_unit_t = alias_of_t<unit_t<Bytes>>;

/// Stores a register to any address, or `past_cache` to one aligned to its size.
template <class R>
[[SITU_INLINE]] inline void store_register(std::byte* to, const R& value, bool past_cache) {
  if (past_cache) native::stream(to, value);
  else std::memcpy(to, &value, sizeof(R));
}

/// Every second, third or fourth element (`Step` 2 to 4): that many registers become one. Returns how many were copied.
template <int Bytes, int Step>
std::int64_t copy_stepped(const std::byte* from, std::byte* to, std::int64_t count, bool past_cache) {
  using Register = native::vector_t<unit_t<Bytes>, (Bytes >= 4 ? vector_bytes : 16)>;
  constexpr int width = native::width_v<Register>;
  const auto indices = std::make_integer_sequence<int, width>{};
  std::int64_t done = 0;
  // Strictly less: the last element loaded is beyond the last element copied.
  for (; done + width < count; done += width) {
    Register part[std::size_t{Step}];
    // One by one: g++ copies a whole array through the stack, in halves that a register's load stalls on.
    [&]<int... At>(std::integer_sequence<int, At...>) {
      (std::memcpy(&part[At], from + (Step * done + At * width) * Bytes, sizeof(Register)), ...);
    }(std::make_integer_sequence<int, Step>{});
    // Lane i is element i * Step; lanes beyond the register come from the next one.
    Register result = [&]<int... At>(std::integer_sequence<int, At...>) {
      return shuffle<(At * Step < 2 * width ? At * Step : 0)...>(part[0], part[1]);
    }(indices);
    if constexpr (Step > 2) {
      result = [&]<int... At>(std::integer_sequence<int, At...>) {
        return shuffle<(At * Step < 2 * width   ? At
                        : At * Step < 3 * width ? At * Step - width
                                                : 0)...>(result, part[2]);
      }(indices);
    }
    if constexpr (Step > 3) {
      result = [&]<int... At>(std::integer_sequence<int, At...>) {
        return shuffle<(At * Step < 3 * width ? At : At * Step - 2 * width)...>(result, part[3]);
      }(indices);
    }
    store_register(to + done * Bytes, result, past_cache);
  }
  return done;
}

/// Elements in reverse, one register at a time. Returns how many were copied.
template <int Bytes>
std::int64_t copy_reversed(const std::byte* from, std::byte* to, std::int64_t count, bool past_cache) {
  using Register = native::vector_t<unit_t<Bytes>, (Bytes >= 4 ? vector_bytes : 16)>;
  constexpr int width = native::width_v<Register>;
  std::int64_t done = 0;
  for (; done + width <= count; done += width) {
    Register forward;
    std::memcpy(&forward, from - (done + width - 1) * Bytes, sizeof(Register));
    const Register backward = [&]<int... At>(std::integer_sequence<int, At...>) {
      return shuffle<(width - 1 - At)...>(forward, forward);
    }(std::make_integer_sequence<int, width>{});
    store_register(to + done * Bytes, backward, past_cache);
  }
  return done;
}

/// Whether `copy_run` reads elements `step` apart one register at a time.
constexpr bool is_shuffled_step(std::int64_t step) { return step == -1 || (step >= 2 && step <= 4); }

template <int Bytes>
std::int64_t copy_shuffled(const std::byte* from, std::int64_t step, std::byte* to, std::int64_t count,
                           bool past_cache) {
  switch (step) {
    case 2:
      return copy_stepped<Bytes, 2>(from, to, count, past_cache);
    case 3:
      return copy_stepped<Bytes, 3>(from, to, count, past_cache);
    case 4:
      return copy_stepped<Bytes, 4>(from, to, count, past_cache);
    default:
      return copy_reversed<Bytes>(from, to, count, past_cache);
  }
}

/// Copies `count` elements along one axis. Steps in elements.
template <int Bytes>
void copy_run(const std::byte* from, std::int64_t from_step, std::byte* to, std::int64_t to_step, std::int64_t count) {
  using Unit = alias_unit_t<Bytes>;
  if (to_step == 1 && from_step == 1) {
    if (count >= 8) {
      std::memcpy(to, from, static_cast<std::size_t>(count * Bytes));
      return;
    }
  } else if (Bytes != 16 && to_step == 1 && is_shuffled_step(from_step)) {
    constexpr int bytes = Bytes == 16 ? 8 : Bytes;  // 16: not called
    const std::int64_t done = copy_shuffled<bytes>(from, from_step, to, count, /*past_cache=*/false);
    from += done * from_step * Bytes;
    to += done * Bytes;
    count -= done;
  } else if (to_step == 1 && from_step == 0) {
    std::fill_n(reinterpret_cast<Unit*>(to), count, *reinterpret_cast<const Unit*>(from));
    return;
  }
  const Unit* source = reinterpret_cast<const Unit*>(from);
  Unit* target = reinterpret_cast<Unit*>(to);
  for (std::int64_t i = 0; i < count; ++i) target[i * to_step] = source[i * from_step];
}

inline constexpr std::int64_t copy_tile_bytes = 4096;

/// `copy_run` past the cache; `to_step` is 1. Through a tile if there is no register to store.
template <int Bytes>
void stream_run(const std::byte* from, std::int64_t from_step, std::byte* to, std::int64_t count) {
  if (from_step == 1) return stream_copy(to, from, static_cast<std::size_t>(count * Bytes));
  constexpr std::int64_t line = 64 / Bytes;
  const auto place = reinterpret_cast<std::uintptr_t>(to);
  const std::int64_t behind_line = static_cast<std::int64_t>(place % 64) / Bytes;
  if constexpr (Bytes != 16) {
    if (is_shuffled_step(from_step)) {
      SITU_ASSERT(place % Bytes == 0);
      const std::int64_t head = behind_line == 0 ? 0 : std::min(count, line - behind_line);
      copy_run<Bytes>(from, from_step, to, 1, head);
      // Whole lines, before the last element: writing parts of one line in both ways is slow.
      const std::int64_t most = std::max<std::int64_t>(0, count - head - 1) / line * line + 1;
      const std::int64_t done =
          head + copy_shuffled<Bytes>(from + head * from_step * Bytes, from_step, to + head * Bytes, most, true);
      return copy_run<Bytes>(from + done * from_step * Bytes, from_step, to + done * Bytes, 1, count - done);
    }
  }
  constexpr std::int64_t piece = copy_tile_bytes / Bytes;
  alignas(64) std::byte tile[copy_tile_bytes];
  // The first piece ends at a line boundary of `to`, so all others are whole lines.
  std::int64_t length = piece - behind_line;
  while (count > 0) {
    length = std::min(length, count);
    copy_run<Bytes>(from, from_step, tile, 1, length);
    stream_copy(to, tile, static_cast<std::size_t>(length * Bytes));
    from += length * from_step * Bytes;
    to += length * Bytes;
    count -= length;
    length = piece;
  }
}

/// Columns of the source (rows of the result) in one sweep of a transpose: two cache lines, which processors fetch as a
/// pair. Four lines were slower (33 to 44 GB/s at 1024 x 1024 floats).
template <int Bytes>
inline constexpr std::int64_t transpose_sweep = 128 / Bytes;

/// `to[c][r] = from[r][c]`, one sweep at a time. If streamed, through a tile in the first-level cache, whose rows
/// become whole lines.
template <int Bytes>
void transpose_sweeps(const std::byte* from_bytes, std::int64_t from_stride, std::byte* to_bytes,
                      std::int64_t to_stride, std::int64_t rows, std::int64_t columns, bool streamed) {
  using Unit = alias_unit_t<Bytes>;
  constexpr std::int64_t sweep = transpose_sweep<Bytes>;
  constexpr std::int64_t line = 64 / Bytes;
  const auto* from = reinterpret_cast<const Unit*>(from_bytes);
  auto* to = reinterpret_cast<Unit*>(to_bytes);
  // Rows that do not begin at a line are not streamed: parts of lines are slow (measured: half the speed of normal
  // stores).
  streamed = streamed && reinterpret_cast<std::uintptr_t>(to) % 64 == 0 && to_stride % line == 0;
  for (std::int64_t c = 0; c < columns; c += sweep) {
    const std::int64_t wide = std::min(sweep, columns - c);
    if (!streamed) {
      transpose_plane<Unit>(from + c, from_stride, to + c * to_stride, to_stride, rows, wide);
      continue;
    }
    alignas(64) Unit tile[std::size_t{sweep * line}];
    for (std::int64_t r = 0; r < rows; r += line) {
      const std::int64_t length = std::min(line, rows - r);
      // The hardware does not predict the next rows: each is on another page. 1.4 times as fast out of the cache.
      if (r + 5 * line <= rows && wide == sweep) {
        for (std::int64_t i = 4 * line; i < 5 * line; ++i) {
          __builtin_prefetch(from + (r + i) * from_stride + c);
          __builtin_prefetch(from + (r + i) * from_stride + c + line);
        }
      }
      // Whole tiles without a call: a call for each line of the result took 1/3 of the time.
      const Unit* const corner = from + r * from_stride + c;
      if constexpr (native::transpose_width<Bytes> != 0) {
        if (length == line && wide == sweep) transpose_blocks<Unit>(corner, from_stride, tile, line, line, sweep);
        else transpose_plane<Unit>(corner, from_stride, tile, line, length, wide);
      } else {
        transpose_plane<Unit>(corner, from_stride, tile, line, length, wide);
      }
      for (std::int64_t i = 0; i < wide; ++i) {
        auto* const target = reinterpret_cast<std::byte*>(to + (c + i) * to_stride + r);
        const auto* const source = reinterpret_cast<const std::byte*>(tile + i * line);
        if (length == line) stream_line(target, source);
        else std::memcpy(target, source, static_cast<std::size_t>(length * Bytes));
      }
    }
  }
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail

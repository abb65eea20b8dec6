// SPDX-License-Identifier: Apache-2.0
// Passes over a contiguous row, a lane at a time: the largest element, a sum, a map. Eigen's partial reductions and
// broadcasts, the alternative, are 7 to 11 times slower.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/cpu/lane_tail.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/non_temporal.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// The number of independent partial results, enough to hide the latency of an addition.
template <class C>
inline constexpr int row_chains = RowLanes<C>::registers >= 4 ? 1 : 4 / RowLanes<C>::registers;

/// Sums are computed in blocks, so that the error of a long row grows with the number of blocks, not of elements.
inline constexpr std::int64_t row_block = 4096;

/// Reduces a register to one value by halves; `f` combines two vectors of any width, or two scalars.
template <class R, class F>
[[SITU_INLINE]] inline auto fold_register(R x, F f) {
  constexpr int width = native::width_v<R>;
  if constexpr (sizeof(R) > 16) {
    return fold_register(f(native::slice<0, width / 2>(x), native::slice<width / 2, width / 2>(x)), f);
  } else if constexpr (width == 4) {
    return f(f(native::element_t<R>(x[0]), native::element_t<R>(x[2])),
             f(native::element_t<R>(x[1]), native::element_t<R>(x[3])));
  } else {
    return f(native::element_t<R>(x[0]), native::element_t<R>(x[1]));
  }
}

/// Calls `f(lanes, index of the first, chain, whole)` for every lane of a row, and last for the padded one, with
/// `whole` false. Both are constants: each copy of `f` has only the code it needs. Chains alternate.
template <class T, int Chains, class C, class F>
[[SITU_INLINE]] inline void each_row_lane(const T* in, std::int64_t begin, std::int64_t end, C padding, F f) {
  constexpr std::integral_constant<int, 0> first{};
  std::int64_t i = begin;
  [&]<int... Chain>(std::integer_sequence<int, Chain...>) SITU_INLINE_LAMBDA {
    for (; i + Chains * row_lane <= end; i += Chains * row_lane) {
      (f(load<T, 16>(in + i + Chain * row_lane), i + Chain * row_lane, std::integral_constant<int, Chain>{},
         std::true_type{}),
       ...);
    }
  }(std::make_integer_sequence<int, Chains>{});
  if constexpr (Chains > 1) {
    for (; i + row_lane <= end; i += row_lane) f(load<T, 16>(in + i), i, first, std::true_type{});
  }
  if (i < end) f(load_row_tail<T, C>(in + i, end - i, padding), i, first, std::false_type{});
}

/// Combines the chains, then the registers, then the elements.
template <class C, std::size_t Chains, class F>
[[SITU_INLINE]] inline C fold_chains(const RowLanes<C> (&chain)[Chains], F f) {
  auto total = chain[0].part[0];
  for (std::size_t i = 0; i < Chains; ++i) {
    for (int part = i == 0 ? 1 : 0; part < RowLanes<C>::registers; ++part) total = f(total, chain[i].part[part]);
  }
  return fold_register(total, f);
}

/// The largest element, ignoring NaN (which the sum brings back); minus infinity for an empty row.
template <class T, class C = compute_t<T>>
C row_max(const T* in, std::int64_t n) {
  constexpr C low = -std::numeric_limits<C>::infinity();
  RowLanes<C> largest[row_chains<C>];
  for (auto& chain : largest) chain = RowLanes<C>(low);
  each_row_lane<T, row_chains<C>>(in, 0, n, low, [&](RowLanes<C> x, std::int64_t, auto chain, auto) SITU_INLINE_LAMBDA {
    largest[chain] = max_number(x, largest[chain]);
  });
  return fold_chains<C>(largest, [](auto a, auto b) SITU_INLINE_LAMBDA { return a > b ? a : b; });
}

/// The sum over a row of `f(lanes, index, whole)`. Use more than one chain for an `f` that is shorter than the latency
/// of an addition. Padding repeats the last element, and what `f` makes of it is not added: padding for which `f` is 0
/// would be minus infinity for `exp`, which takes longer there than a row of 30.
template <class T, int Chains = 1, class C = compute_t<T>, class F>
[[SITU_INLINE]] inline C row_sum(const T* in, std::int64_t n, F f) {
  if (n == 0) return C(0);
  const C padding = static_cast<C>(in[n - 1]);
  C total = 0;
  for (std::int64_t first = 0; first < n; first += row_block) {
    RowLanes<C> sum[std::size_t{Chains}];
    for (auto& chain : sum) chain = RowLanes<C>(C(0));
    each_row_lane<T, Chains>(in, first, std::min(n, first + row_block), padding,
                             [&](RowLanes<C> x, std::int64_t i, auto chain, auto whole) SITU_INLINE_LAMBDA {
                               if constexpr (whole) sum[chain] += f(x, i, whole);
                               else sum[chain] += pad_row(f(x, i, whole), n - i, C(0));
                             });
    total += fold_chains<C>(sum, [](auto a, auto b) SITU_INLINE_LAMBDA { return a + b; });
  }
  return total;
}

/// out = f(lanes, index, whole) for a row; past the cache if `streamed`. `in` may be `out`.
template <class S, class T, class C = compute_t<T>, class F>
[[SITU_INLINE]] inline void row_map(const S* in, T* out, std::int64_t n, bool streamed, F f) {
  const auto map = [&](std::int64_t begin, std::int64_t end, T* to) SITU_INLINE_LAMBDA {
    each_row_lane<S, 1>(in, begin, end, C(0), [&](RowLanes<C> x, std::int64_t i, auto, auto whole) SITU_INLINE_LAMBDA {
      if constexpr (whole) store(to + (i - begin), f(x, i, whole));
      else store_row_tail<T, C>(to + (i - begin), f(x, i, whole), end - i);
    });
  };
  if (!streamed) return map(0, n, out);
  constexpr std::int64_t piece = 4096 / static_cast<std::int64_t>(sizeof(T));
  alignas(64) T tile[static_cast<std::size_t>(piece)];
  // The first piece ends at a line boundary of `out`, so all others are whole lines.
  std::int64_t length = piece - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) % 64 / sizeof(T));
  for (std::int64_t first = 0; first < n; first += length, length = piece) {
    length = std::min(length, n - first);
    map(first, first + length, tile);
    stream_copy(out + first, tile, static_cast<std::size_t>(length) * sizeof(T));
  }
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail

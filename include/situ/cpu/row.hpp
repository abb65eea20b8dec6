// SPDX-License-Identifier: Apache-2.0
// A contiguous row as formula/row.hpp requires it, in SIMD vectors: passes over it, a lane at a time, for the largest
// element, a sum, a map. Eigen's partial reductions and broadcasts, the alternative, are 7 to 11 times slower.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/non_temporal.hpp>
#include <situ/cpu/reduce/lanes.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/log.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

template <class C>
using RowLanes = Lanes<C, 16>;
inline constexpr std::int64_t row_lane = 16;

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

#if defined(__AVX2__) && !defined(__AVX512F__)
/// From 16 - n on, a mask of the first n elements of a lane of `float`.
alignas(64) inline constexpr std::int32_t row_tail_masks[32] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                                                -1, -1, -1, -1, -1, -1, -1, -1};
#endif

/// The last `count` elements of a row, at most a lane, followed by `padding`. Masked if there are instructions for it:
/// a copy on the stack waits for its own stores, which took longer than everything else in a row of 10.
template <class T, class C>
[[SITU_INLINE]] inline RowLanes<C> load_row_tail(const T* from, std::int64_t count, C padding) {
#if defined(__AVX512F__)
  if constexpr (std::same_as<T, float>) {
    RowLanes<C> lanes(padding);
    lanes.part[0] = native::cast<typename RowLanes<C>::Register>(_mm512_mask_loadu_ps(
        native::cast<__m512>(lanes.part[0]), static_cast<__mmask16>((1u << count) - 1), from));
    return lanes;
  } else if constexpr (std::same_as<T, double>) {
    RowLanes<C> lanes(padding);
    const unsigned mask = (1u << count) - 1;
    for (unsigned i = 0; i < 2; ++i) {
      lanes.part[i] = native::cast<typename RowLanes<C>::Register>(_mm512_mask_loadu_pd(
          native::cast<__m512d>(lanes.part[i]), static_cast<__mmask8>(mask >> (8 * i)), from + 8 * i));
    }
    return lanes;
  }
#elif defined(__AVX2__)
  if constexpr (std::same_as<T, float>) {
    RowLanes<C> lanes(padding);
    for (std::int64_t i = 0; i < 2; ++i) {
      const __m256i mask = _mm256_loadu_si256(
          reinterpret_cast<const __m256i*>(row_tail_masks + row_lane - count + 8 * i));
      const __m256 there = _mm256_maskload_ps(from + 8 * i, mask);
      lanes.part[i] = native::cast<typename RowLanes<C>::Register>(
          _mm256_blendv_ps(native::cast<__m256>(lanes.part[i]), there, _mm256_castsi256_ps(mask)));
    }
    return lanes;
  }
#endif
  alignas(64) std::array<C, static_cast<std::size_t>(row_lane)> value;
  value.fill(padding);
  for (std::int64_t i = 0; i < count; ++i) value[static_cast<std::size_t>(i)] = static_cast<C>(from[i]);
  return load<C, 16>(value.data());
}

/// Stores the first `count` elements of a lane, fewer than all: the whole first half if there are as many, then part of
/// the other. (A copy from the stack is a call of `memcpy`; masked stores take as long on some processors with AVX2.)
template <class T, int Size>
[[SITU_INLINE]] inline void store_first(T* to, const Lanes<T, Size>& x, std::int64_t count) {
  if constexpr (Size * sizeof(T) > 16) {
    if (count >= Size / 2) {
      store(to, half_of<0>(x));
      store_first(to + Size / 2, half_of<1>(x), count - Size / 2);
    } else {
      store_first(to, half_of<0>(x), count);
    }
  } else {
    for (int i = 0; i < Size - 1; ++i) {
      if (i < count) to[i] = x.part[0][i];
    }
  }
}

template <class T, class C>
[[SITU_INLINE]] inline void store_row_tail(T* to, RowLanes<C> lanes, std::int64_t count) {
#if defined(__AVX512F__)
  if constexpr (std::same_as<T, float>) {
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << count) - 1), native::cast<__m512>(lanes.part[0]));
    return;
  } else if constexpr (std::same_as<T, double>) {
    const unsigned mask = (1u << count) - 1;
    for (unsigned i = 0; i < 2; ++i) {
      _mm512_mask_storeu_pd(to + 8 * i, static_cast<__mmask8>(mask >> (8 * i)), native::cast<__m512d>(lanes.part[i]));
    }
    return;
  }
#endif
  if constexpr (std::same_as<T, C>) {
    store_first(to, lanes, count);
  } else {
    alignas(64) std::array<T, static_cast<std::size_t>(row_lane)> value;
    store(value.data(), lanes);
    std::copy_n(value.data(), count, to);
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
  each_row_lane<T, row_chains<C>>(in, 0, n, low,
                                  [&](RowLanes<C> x, std::int64_t, auto chain, auto) SITU_INLINE_LAMBDA {
                                    largest[chain] = max_number(x, largest[chain]);
                                  });
  return fold_chains<C>(largest, [](auto a, auto b) SITU_INLINE_LAMBDA { return a > b ? a : b; });
}

/// The sum over a row of `f(lanes, index, whole)`, which must be 0 for padding. Use more than one chain for an `f` that
/// is shorter than the latency of an addition.
template <class T, int Chains = 1, class C = compute_t<T>, class F>
[[SITU_INLINE]] inline C row_sum(const T* in, std::int64_t n, C padding, F f) {
  C total = 0;
  for (std::int64_t first = 0; first < n; first += row_block) {
    RowLanes<C> sum[std::size_t{Chains}];
    for (auto& chain : sum) chain = RowLanes<C>(C(0));
    each_row_lane<T, Chains>(in, first, std::min(n, first + row_block), padding,
                             [&](RowLanes<C> x, std::int64_t i, auto chain, auto whole)
                                 SITU_INLINE_LAMBDA { sum[chain] += f(x, i, whole); });
    total += fold_chains<C>(sum, [](auto a, auto b) SITU_INLINE_LAMBDA { return a + b; });
  }
  return total;
}

/// out = f(lanes, index, whole) for a row; past the cache if `streamed`. `in` may be `out`.
template <class S, class T, class C = compute_t<T>, class F>
[[SITU_INLINE]] inline void row_map(const S* in, T* out, std::int64_t n, bool streamed, F f) {
  const auto map = [&](std::int64_t begin, std::int64_t end, T* to) SITU_INLINE_LAMBDA {
    each_row_lane<S, 1>(in, begin, end, C(0),
                        [&](RowLanes<C> x, std::int64_t i, auto, auto whole) SITU_INLINE_LAMBDA {
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

/// From 16 - n on, the bits of the first n elements of a lane.
template <class C>
alignas(64) inline constexpr std::array<bits_t<C>, std::size_t{2 * row_lane}> first_elements = [] {
  std::array<bits_t<C>, std::size_t{2 * row_lane}> bits{};
  std::fill_n(bits.begin(), row_lane, static_cast<bits_t<C>>(-1));
  return bits;
}();

/// The first `count` elements of a lane, followed by `padding`.
template <class C>
[[SITU_INLINE]] inline RowLanes<C> pad_row(RowLanes<C> x, std::int64_t count, C padding) {
  using Bits = bits_t<C>;
  const auto first = load<Bits, 16>(first_elements<C>.data() + (row_lane - count));
  return select(first != Lanes<Bits, 16>(Bits(0)), x, RowLanes<C>(padding));
}

struct WidenedRow;
struct ReplacedRow;

}  // namespace detail

/// A row of `n` contiguous elements, and the destination of its results; `in` may be `out`. 16-bit floats are first
/// widened into memory of the thread, which has space for one such row at a time: kernels that read them directly would
/// be no faster, and each takes seconds to compile under the sanitizers. `streamed` writes past the cache (see
/// `stream_fence`).
template <FloatingElement T>
class Row {
 public:
  using C = compute_t<T>;

  Row(const T* in, T* out, std::int64_t n, bool streamed) : out_(out), n_(n), streamed_(streamed) {
    if constexpr (std::same_as<T, C>) {
      x_ = in;
    } else {
      C* const wide = scratch<detail::WidenedRow, C>(n);
      detail::row_map<T>(in, wide, n, false,
                         [](auto x, std::int64_t, auto) SITU_INLINE_LAMBDA { return x; });
      x_ = wide;
    }
  }
  /// A row that is only read.
  Row(const T* in, std::int64_t n) : Row(in, nullptr, n, false) {}

  template <class V>
  [[SITU_INLINE]] static V exp(V x) {
    return math::exp(x);
  }
  [[nodiscard]] static C log(C x) { return math::log(x); }

  [[nodiscard]] C largest() const { return detail::row_max(x_, n_); }

  template <class F>
  [[nodiscard, SITU_INLINE]] C sum(F f, C zero) const {
    return detail::row_sum<C>(x_, n_, zero,
                              [=](L x, std::int64_t, auto) SITU_INLINE_LAMBDA { return f(x); });
  }
  template <class F>
  [[nodiscard, SITU_INLINE]] C mean(F f, C zero) const {
    const auto value = [=](L x, std::int64_t, auto) SITU_INLINE_LAMBDA { return f(x); };
    return detail::row_sum<C, detail::row_chains<C>>(x_, n_, zero, value) / static_cast<C>(n_);
  }

  template <class F>
  [[SITU_INLINE]] C replace(F f, C zero) {
    C* const to = room();
    const C sum =
        detail::row_sum<C>(x_, n_, zero, [=, n = n_](L x, std::int64_t i, auto whole) SITU_INLINE_LAMBDA {
          const L value = f(x);
          if constexpr (whole)
            store(to + i, value);
          else
            detail::store_row_tail<C, C>(to + i, value, n - i);
          return value;
        });
    x_ = to;
    return sum;
  }

  template <class F>
  [[SITU_INLINE]] void finish(F f) const {
    detail::row_map<C>(x_, out_, n_, streamed_,
                       [=](L x, std::int64_t, auto) SITU_INLINE_LAMBDA { return f(x); });
  }
  template <class F>
  [[SITU_INLINE]] void finish(F f, const T* weight, const T* bias) const {
    const auto parameter = [n = n_](const T* values, std::int64_t i, auto whole) SITU_INLINE_LAMBDA -> L {
      // A lane that is cut short by the end of a streamed piece may be anywhere in the row.
      if constexpr (whole) return load<T, 16>(values + i);
      else return detail::load_row_tail<T, C>(values + i, std::min(n - i, detail::row_lane), C(0));
    };
    detail::row_map<C>(x_, out_, n_, streamed_, [=](L x, std::int64_t i, auto whole) SITU_INLINE_LAMBDA {
      L y = f(x);
      if (weight != nullptr) y = y * parameter(weight, i, whole);
      if (bias != nullptr) y = y + parameter(bias, i, whole);
      return y;
    });
  }

 private:
  using L = detail::RowLanes<C>;

  /// Where `replace` may write: the destination or, for streamed results, a buffer that stays in the cache.
  [[nodiscard]] C* room() const {
    if constexpr (!std::same_as<T, C>) return const_cast<C*>(x_);  // the thread's own
    else return streamed_ ? scratch<detail::ReplacedRow, C>(n_) : out_;
  }

  const C* x_;
  T* out_;
  std::int64_t n_;
  bool streamed_;
};

/// A row of at most one lane, which stays in registers from the first step to the last, whereas a `Row` would wait for
/// its own stores. The same bits.
template <FloatingElement T>
class LaneRow {
 public:
  using C = compute_t<T>;

  LaneRow(const T* in, T* out, std::int64_t n)
      : x_(n == detail::row_lane ? load<T, 16>(in) : detail::load_row_tail<T, C>(in, n, C(0))), out_(out), n_(n) {}

  template <class V>
  [[SITU_INLINE]] static V exp(V x) {
    return math::exp(x);
  }
  [[nodiscard]] static C log(C x) { return math::log(x); }

  [[nodiscard, SITU_INLINE]] C largest() const {
    constexpr C low = -std::numeric_limits<C>::infinity();
    const L most[1] = {max_number(detail::pad_row(x_, n_, low), L(low))};
    return detail::fold_chains<C>(most, [](auto a, auto b) SITU_INLINE_LAMBDA { return a > b ? a : b; });
  }
  // Excludes the values of `f` for padding, instead of choosing padding for which `f` gives 0: `exp` is slow near 0.
  template <class F>
  [[nodiscard, SITU_INLINE]] C sum(F f, C) const {
    return total(f(x_));
  }
  template <class F>
  [[nodiscard, SITU_INLINE]] C mean(F f, C zero) const {
    return sum(f, zero) / static_cast<C>(n_);
  }
  template <class F>
  [[SITU_INLINE]] C replace(F f, C) {
    x_ = f(x_);
    return total(x_);
  }
  template <class F>
  [[SITU_INLINE]] void finish(F f) const {
    put(f(x_));
  }
  template <class F>
  [[SITU_INLINE]] void finish(F f, const T* weight, const T* bias) const {
    L y = f(x_);
    if (weight != nullptr) y = y * detail::load_row_tail<T, C>(weight, n_, C(0));
    if (bias != nullptr) y = y + detail::load_row_tail<T, C>(bias, n_, C(0));
    put(y);
  }

 private:
  using L = detail::RowLanes<C>;

  [[nodiscard, SITU_INLINE]] C total(L x) const {
    const L sums[1] = {detail::pad_row(x, n_, C(0))};
    return C(0) + detail::fold_chains<C>(sums, [](auto a, auto b) SITU_INLINE_LAMBDA { return a + b; });
  }
  [[SITU_INLINE]] void put(L y) const {
    if (n_ == detail::row_lane) store(out_, y);
    else detail::store_row_tail<T, C>(out_, y, n_);
  }

  L x_;
  T* out_;
  std::int64_t n_;
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu

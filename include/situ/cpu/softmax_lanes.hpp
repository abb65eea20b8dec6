// SPDX-License-Identifier: Apache-2.0
// A contiguous row as formula/softmax.hpp requires it, in SIMD vectors: passes over it, a lane at a time, for the largest
// element, a sum, a map. Eigen's partial reductions and broadcasts, the alternative, are 7 to 11 times slower.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/cpu/lane_passes.hpp>
#include <situ/cpu/lane_tail.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/log.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

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
      detail::row_map<T>(in, wide, n, false, [](auto x, std::int64_t, auto) SITU_INLINE_LAMBDA { return x; });
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
  [[nodiscard, SITU_INLINE]] C sum(F f, C) const {
    return detail::row_sum<C>(x_, n_, [=](L x, std::int64_t, auto) SITU_INLINE_LAMBDA { return f(x); });
  }
  template <class F>
  [[nodiscard, SITU_INLINE]] C mean(F f, C) const {
    const auto value = [=](L x, std::int64_t, auto) SITU_INLINE_LAMBDA { return f(x); };
    return detail::row_sum<C, detail::row_chains<C>>(x_, n_, value) / static_cast<C>(n_);
  }

  template <class F>
  [[SITU_INLINE]] C replace(F f, C) {
    C* const to = room();
    const C sum = detail::row_sum<C>(x_, n_, [=, n = n_](L x, std::int64_t i, auto whole) SITU_INLINE_LAMBDA {
      const L value = f(x);
      if constexpr (whole) store(to + i, value);
      else detail::store_row_tail<C, C>(to + i, value, n - i);
      return value;
    });
    x_ = to;
    return sum;
  }

  template <class F>
  [[SITU_INLINE]] void finish(F f) const {
    detail::row_map<C>(x_, out_, n_, streamed_, [=](L x, std::int64_t, auto) SITU_INLINE_LAMBDA { return f(x); });
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

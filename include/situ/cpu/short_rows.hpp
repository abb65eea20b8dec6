// SPDX-License-Identifier: Apache-2.0
// Rows of a few elements as formula/softmax.hpp requires a row, sixteen at a time: a lane has an element of each row.
// Alone, a row of one element would need as many instructions as one of sixteen.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/cpu/lane_tail.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/log.hpp>
#include <situ/formula/softmax.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// `count` rows, at most `together`, of `n` elements, at most `longest`, whose beginnings are `stride` apart; the results
/// follow one another at `out`, which may be `in`. Sums in the order of a `LaneRow`: by halves.
template <FloatingElement T>
class ShortRows {
 public:
  static constexpr std::int64_t together = detail::row_lane;
  static constexpr std::int64_t longest = 8;
  using Number = situ::compute_t<T>;
  /// An element, or a result, of each row.
  using C = Lanes<Number, 16>;

  ShortRows(const T* in, std::int64_t stride, T* out, std::int64_t n, std::int64_t count)
      : out_(out), n_(n), count_(count) {
    alignas(64) std::array<Number, std::size_t{longest * together}> columns;
    for (std::int64_t j = 0; j < n; ++j) {
      Number* const column = columns.data() + j * together;
      if (count == together) {
        for (std::int64_t row = 0; row < together; ++row) column[row] = static_cast<Number>(in[row * stride + j]);
      } else {  // the last row stands for those that are missing
        for (std::int64_t row = 0; row < together; ++row)
          column[row] = static_cast<Number>(in[std::min(row, count - 1) * stride + j]);
      }
    }
    for (std::int64_t j = 0; j < n; ++j) x_[at(j)] = load<Number, 16>(columns.data() + j * together);
  }

  template <class V>
  [[SITU_INLINE]] static V exp(V x) {
    return math::exp(x);
  }
  [[nodiscard, SITU_INLINE]] static C log(C x) { return math::log(x); }

  [[nodiscard, SITU_INLINE]] C largest() const {
    C most = row::minus_infinity<C>();
    for (std::int64_t j = 0; j < n_; ++j) most = max_number(x_[at(j)], most);
    return most;
  }
  template <class F>
  [[nodiscard, SITU_INLINE]] C sum(F f, C) const {
    Columns values;
    for (std::int64_t j = 0; j < n_; ++j) values[at(j)] = f(x_[at(j)]);
    return total(values);
  }
  template <class F>
  [[SITU_INLINE]] C replace(F f, C) {
    for (std::int64_t j = 0; j < n_; ++j) x_[at(j)] = f(x_[at(j)]);
    return total(x_);
  }
  template <class F>
  [[SITU_INLINE]] void finish(F f) const {
    alignas(64) std::array<T, std::size_t{longest * together}> columns;
    for (std::int64_t j = 0; j < n_; ++j) store(columns.data() + j * together, f(x_[at(j)]));
    for (std::int64_t row = 0; row < count_; ++row) {
      for (std::int64_t j = 0; j < n_; ++j) out_[row * n_ + j] = columns[at(j * together + row)];
    }
  }

 private:
  using Columns = std::array<C, std::size_t{longest}>;

  static constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  [[nodiscard, SITU_INLINE]] C total(const Columns& x) const {
    std::array<C, 4> half;
    for (std::int64_t j = 0; j < 4; ++j) {
      half[at(j)] = j + 4 < n_ ? x[at(j)] + x[at(j + 4)] : j < n_ ? x[at(j)] : C(Number(0));
    }
    return (half[0] + half[2]) + (half[1] + half[3]);
  }

  Columns x_;
  T* out_;
  std::int64_t n_;
  std::int64_t count_;
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu

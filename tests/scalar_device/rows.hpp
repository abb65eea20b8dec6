// SPDX-License-Identifier: Apache-2.0
// The softmax family of the reference device: a row of formula/softmax.hpp as a plain array.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/formula/softmax.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/softmax.hpp>

#include "elementwise.hpp"

namespace scalar_device {

namespace row = situ::internal::row;

template <class T>
class Row {
 public:
  using C = compute_t<T>;

  Row(const T* in, T* out, std::int64_t n) : out_(out) {
    for (std::int64_t i = 0; i < n; ++i) x_.push_back(static_cast<C>(in[i]));
  }

  [[nodiscard]] static C exp(C x) { return std::exp(x); }
  [[nodiscard]] static C log(C x) { return std::log(x); }

  [[nodiscard]] C largest() const {
    C most = -std::numeric_limits<C>::infinity();
    for (const C x : x_) most = x > most ? x : most;
    return most;
  }
  template <class F>
  [[nodiscard]] C sum(F f, C) const {
    double total = 0;
    for (const C x : x_) total += static_cast<double>(f(x));
    return static_cast<C>(total);
  }
  template <class F>
  [[nodiscard]] C mean(F f, C zero) const {
    return sum(f, zero) / static_cast<C>(x_.size());
  }
  template <class F>
  [[nodiscard]] C replace(F f, C zero) {
    std::transform(x_.begin(), x_.end(), x_.begin(), f);
    return sum([](C x) { return x; }, zero);
  }
  template <class F>
  void finish(F f) const {
    for (std::size_t i = 0; i < x_.size(); ++i) out_[i] = static_cast<T>(f(x_[i]));
  }
  template <class F>
  void finish(F f, const T* weight, const T* bias) const {
    for (std::size_t i = 0; i < x_.size(); ++i)
      out_[i] = static_cast<T>(f(x_[i]) * static_cast<C>(weight[i]) + static_cast<C>(bias[i]));
  }

 private:
  std::vector<C> x_;
  T* out_;
};

template <class T, class Operation>
void map_rows(const program::Rows& rows, const T* in, T* out, const Operation& operation) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    Row<T> row(in + i * rows.stride, out + i * rows.length, rows.length);
    operation(row);
  }
}

template <class T>
void softmax_along_rows(Backend, const program::Rows& rows, const T* in, T* out) {
  map_rows(rows, in, out, row::Softmax{});
}

template <class T>
void log_softmax_along_rows(Backend, const program::Rows& rows, const T* in, T* out) {
  map_rows(rows, in, out, row::LogSoftmax{});
}

template <class T>
void layer_norm_along_rows(Backend, const program::Rows& rows, const T* in, double epsilon, const T* weight,
                           const T* bias, T* out) {
  map_rows(rows, in, out, row::LayerNorm<T>{static_cast<compute_t<T>>(epsilon), weight, bias});
}

template <class T>
void logsumexp_along_rows(Backend, const program::Rows& rows, const T* in, T* out) {
  for (std::int64_t i = 0; i < rows.rows; ++i)
    out[i] = static_cast<T>(row::LogSumExp{}(Row<T>(in + i * rows.stride, nullptr, rows.length)));
}

template <class T>
void cross_entropy_along_rows(Backend, const program::Rows& rows, const T* in, const std::int64_t* labels, T* out) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    if (labels[i] < 0 || labels[i] >= rows.length)
      throw situ::IndexError(
          situ::internal::index_message(situ::internal::IndexedOperation::cross_entropy, labels[i], 1, rows.length, i));
    const T* const x = in + i * rows.stride;
    out[i] = static_cast<T>(row::LogSumExp{}(Row<T>(x, nullptr, rows.length)) - static_cast<compute_t<T>>(x[labels[i]]));
  }
}

}  // namespace scalar_device

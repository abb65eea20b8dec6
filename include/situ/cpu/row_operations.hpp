// SPDX-License-Identifier: Apache-2.0
// The row kernels of softmax.hpp as the operations call them: by the backend's tag, on rows that a layout describes.
#pragma once

#include <cstdint>
#include <string>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/cpu/softmax.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/rows.hpp>

namespace situ::internal::cpu {

template <FloatingElement T>
void softmax_along_rows(Backend, const Rows& rows, const T* in, T* out) {
  softmax_rows(rows.rows, rows.length, in, rows.stride, out);
}

template <FloatingElement T>
void log_softmax_along_rows(Backend, const Rows& rows, const T* in, T* out) {
  log_softmax_rows(rows.rows, rows.length, in, rows.stride, out);
}

template <FloatingElement T>
void logsumexp_along_rows(Backend, const Rows& rows, const T* in, T* out) {
  logsumexp_rows(rows.rows, rows.length, in, rows.stride, out);
}

/// `weight` and `bias` have as many elements as a row, adjacent.
template <FloatingElement T>
void layer_norm_along_rows(Backend, const Rows& rows, const T* in, double epsilon, const T* weight, const T* bias,
                           T* out) {
  layer_norm_rows(rows.rows, rows.length, in, rows.stride, static_cast<compute_t<T>>(epsilon), weight, bias, out);
}

/// The negative logarithm of the softmax of each row at its label. Throws `IndexError` for a label that is no column.
template <FloatingElement T>
void cross_entropy_along_rows(Backend, const Rows& rows, const T* in, const std::int64_t* labels, T* out) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    if (labels[i] < 0 || labels[i] >= rows.length) {
      throw IndexError("cross_entropy: label " + std::to_string(labels[i]) + " at position " + std::to_string(i) +
                       " is none of the " + std::to_string(rows.length) + " classes, which count from 0");
    }
  }
  detail::each_row<T>(rows.rows, rows.length, true, [=](std::int64_t i, bool) {
    const T* row = in + i * rows.stride;
    const compute_t<T> at_label = static_cast<compute_t<T>>(row[labels[i]]);
    out[i] = static_cast<T>(logsumexp_row(row, rows.length) - at_label);
  });
}

}  // namespace situ::internal::cpu

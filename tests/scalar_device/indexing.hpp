// SPDX-License-Identifier: Apache-2.0
// The kernels of the reference device that read or write where an index says, and those that sort.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/formula/scatter.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/mask.hpp>
#include <situ/plan/program.hpp>
#include <situ/core/shape.hpp>

#include "elementwise.hpp"

namespace scalar_device {

namespace scattering = situ::internal::scattering;
using situ::internal::IndexedOperation;
using Axis = situ::internal::IndexedAxis<situ::internal::ThrowIndexError>;

template <Element T, class At>
void take(Backend, const program::Operand& x, const Shape& shape, const At* indices, std::int64_t count,
          IndexedOperation operation, int axis, void* out) {
  const Axis indexed{{}, operation, axis, shape[1]};
  for_each_position(Shape{shape[0], count, shape[2]}, [&, to = static_cast<T*>(out)](Strides index) mutable {
    index[1] = indexed.position(indices[index[1]]);
    *to++ = at<T>(x, index);
  });
}

template <Element T, class At>
void gather_along(Backend, const program::Operand& x, std::int64_t extent, const program::Operand& indices, int axis,
                  const program::Destination& out) {
  const Axis indexed{{}, IndexedOperation::gather, axis, extent};
  for_each_position(out.shape, [&, to = static_cast<T*>(out.data)](Strides index) mutable {
    index[static_cast<std::size_t>(axis)] = indexed.position(at<At>(indices, index));
    *to++ = at<T>(x, index);
  });
}

template <class Rule, Element T, class At>
void scatter_along(Backend, const program::Operand& source, const program::Operand& indices, std::int64_t count,
                   IndexedOperation operation, int axis, const program::Destination& out) {
  const Axis indexed{{}, operation, axis, out.shape[axis]};
  Shape shape = out.shape;
  shape.set(axis, count);
  const auto for_each_write = [&](const auto& f) {
    for_each_position(shape, [&](Strides index) {
      const T value = at<T>(source, index);
      index[static_cast<std::size_t>(axis)] = indexed.position(at<At>(indices, index));
      f(at<T>(out, index), value);
    });
  };
  if constexpr (scattering::widens<Rule, T>) {
    struct Total {
      double value = 0;
      std::int64_t elements = 0;
    };
    std::map<T*, Total> totals;
    for_each_write([&](T& place, T) { ++totals[&place].elements; });
    for (auto& [place, total] : totals) total.value = static_cast<double>(static_cast<compute_t<T>>(*place));
    for_each_write([&](T& place, T value) {
      Total& total = totals[&place];
      const auto element = static_cast<float>(static_cast<compute_t<T>>(value));
      if (total.elements > scattering::most_narrow) total.value = Rule::combine(total.value, static_cast<double>(element));
      else total.value = static_cast<double>(Rule::combine(static_cast<float>(total.value), element));
    });
    for (auto& [place, total] : totals) *place = static_cast<T>(static_cast<float>(total.value));
  } else {
    for_each_write([](T& place, T value) { place = Rule::combine(place, value); });
  }
}

template <Element T, class At>
void one_hot(Backend, const At* labels, std::int64_t count, std::int64_t classes, IndexedOperation operation, T* out) {
  for (std::int64_t i = 0; i < count * classes; ++i) {
    const auto label = static_cast<std::int64_t>(labels[i / classes]);
    if (label < 0 || label >= classes)
      throw situ::IndexError(situ::internal::index_message(operation, label, 0, classes, i / classes));
    out[i] = static_cast<T>(static_cast<compute_t<T>>(label == i % classes));
  }
}

/// Calls `f(index, line, order)` for every line along `axis`: the index and the address of its first element, and how many
/// elements behind it they stand from the first to the last; equal ones in the order they have, NaN at the end.
template <class T, class F>
void for_each_sorted_line(const program::Operand& x, Shape lines, int axis, std::int64_t count, bool descending, F f) {
  const std::int64_t step = x.strides[static_cast<std::size_t>(axis)];
  lines.set(axis, 1);
  for_each_position(lines, [&](const Strides& index) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    const T* const line = &at<T>(x, index);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
      const auto a = static_cast<compute_t<T>>(line[i * step]);
      const auto b = static_cast<compute_t<T>>(line[j * step]);
      if (a != a || b != b) return a == a;
      return descending ? a > b : a < b;
    });
    f(index, line, step, order);
  });
}

template <Element T>
void sort(Backend, const program::Operand& x, int axis, bool descending, const program::Destination& out) {
  for_each_sorted_line<T>(x, out.shape, axis, out.shape[axis], descending,
                          [&](Strides index, const T* line, std::int64_t step, const auto& order) {
                            for (const std::int64_t from : order) {
                              at<T>(out, index) = line[from * step];
                              ++index[static_cast<std::size_t>(axis)];
                            }
                          });
}

template <Element T>
void argsort(Backend, const program::Operand& x, int axis, bool descending, const program::Destination& out) {
  for_each_sorted_line<T>(x, out.shape, axis, out.shape[axis], descending,
                          [&](Strides index, const T*, std::int64_t, const auto& order) {
                            for (const std::int64_t from : order) {
                              at<std::int64_t>(out, index) = from;
                              ++index[static_cast<std::size_t>(axis)];
                            }
                          });
}

template <Element T>
void topk(Backend, const program::Operand& x, std::int64_t count, int axis, bool descending,
          const program::Destination& values, const program::Destination& indices) {
  for_each_sorted_line<T>(x, values.shape, axis, count, descending,
                          [&](Strides index, const T* line, std::int64_t step, const auto& order) {
                            std::int64_t& i = index[static_cast<std::size_t>(axis)];
                            for (i = 0; i < values.shape[axis]; ++i) {
                              const std::int64_t from = order[static_cast<std::size_t>(i)];
                              at<T>(values, index) = line[from * step];
                              at<std::int64_t>(indices, index) = from;
                            }
                          });
}

inline void count_true(Backend, const bool* mask, std::int64_t count, std::int64_t* counts) {
  std::fill_n(counts, program::mask_blocks(count), 0);
  for (std::int64_t i = 0; i < count; ++i) counts[i / program::mask_block] += mask[i] ? 1 : 0;
}

inline void list_true(Backend, const program::TruePositions& list) {
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < list.count && at < list.room; ++i) {
    if (list.mask[i]) list.positions[at++] = i;
  }
}

template <Element T>
void select_true(Backend, const program::TrueElements& selection) {
  const T* const from = static_cast<const T*>(selection.from);
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < selection.count && at < selection.room; ++i) {
    if (selection.mask[i]) static_cast<T*>(selection.to)[at++] = from[i * selection.step];
  }
}

}  // namespace scalar_device

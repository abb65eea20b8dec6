// SPDX-License-Identifier: Apache-2.0
// For tests of kernels: many ways for a shape to lie in memory, and the same elements on the host and on a GPU.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <situ/situ.hpp>

#include "../reference.hpp"

namespace views {

using situ::Cpu;
using situ::Cuda;
using situ::Element;
using situ::Layout;
using situ::Shape;
using situ::internal::Storage;
using situ::Tensor;
using Gpu = Cuda<0>;

/// A way to lie, with its name for messages.
struct View {
  std::string name;
  Layout layout;
};

[[nodiscard]] inline std::int64_t extent_in_memory(const Layout& layout) {
  std::int64_t last = layout.offset;
  for (int axis = 0; axis < layout.shape.rank(); ++axis) {
    if (layout.stride(axis) > 0) last += (layout.shape[axis] - 1) * layout.stride(axis);
  }
  return last + 1;
}

/// Axes in memory from the outermost in, `gap` elements after each row of the innermost, every `step`-th element.
[[nodiscard]] inline Layout laid_out(const Shape& shape, const std::vector<int>& order, std::int64_t gap = 0,
                                     std::int64_t step = 1, std::int64_t offset = 0) {
  Layout layout{shape, {}, offset};
  std::int64_t stride = step;
  for (std::size_t i = order.size(); i-- > 0;) {
    layout.set_stride(order[i], stride);
    stride *= shape[order[i]];
    if (i + 1 == order.size()) stride += gap;
  }
  return layout;
}

[[nodiscard]] inline Layout flipped(Layout layout, int axis) {
  layout.offset += (layout.shape[axis] - 1) * layout.stride(axis);
  layout.set_stride(axis, -layout.stride(axis));
  return layout;
}

/// Ways for a destination: no two elements share a place.
[[nodiscard]] inline std::vector<View> distinct(const Shape& shape) {
  const int rank = shape.rank();
  std::vector<int> order(static_cast<std::size_t>(rank));
  for (int axis = 0; axis < rank; ++axis) order[static_cast<std::size_t>(axis)] = axis;
  const std::vector<int> reversed(order.rbegin(), order.rend());
  std::vector<View> result{{"row-major", laid_out(shape, order)},
                           {"row-major from 1", laid_out(shape, order, 0, 1, 1)},
                           {"row-major from 16", laid_out(shape, order, 0, 1, 16)}};
  if (rank == 0) return result;
  result.push_back({"every second", laid_out(shape, order, 0, 2)});
  result.push_back({"backwards", flipped(laid_out(shape, order), rank - 1)});
  if (rank == 1) return result;
  std::vector<int> rotated(order.begin() + 1, order.end());
  rotated.push_back(0);
  result.push_back({"column-major", laid_out(shape, reversed)});
  result.push_back({"rotated", laid_out(shape, rotated, 0, 1, 3)});
  result.push_back({"rows 16 apart", laid_out(shape, order, 16)});
  result.push_back({"rows 3 apart", laid_out(shape, order, 3)});
  result.push_back({"rows 16 apart, upside down", flipped(laid_out(shape, order, 16), 0)});
  result.push_back({"column-major, both flipped", flipped(flipped(laid_out(shape, reversed, 5), 0), rank - 1)});
  return result;
}

/// Ways for an operand: axes may also be repeated.
[[nodiscard]] inline std::vector<View> any(const Shape& shape) {
  std::vector<View> result = distinct(shape);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    Layout layout = distinct(shape).front().layout;
    layout.set_stride(axis, 0);
    result.push_back({"axis " + std::to_string(axis) + " repeated", layout});
  }
  if (shape.rank() == 2) {
    Layout row = Layout::row_major(shape);
    row.set_stride(0, 0);
    row.offset = 16;
    result.push_back({"one row, aligned", row});
    result.push_back({"one element", Layout{shape, {}, 5}});
  }
  return result;
}

/// The same elements, 0 to 96 again and again, on the host and on the GPU; enough for every layout of `count` elements.
template <Element T>
struct Both {
  Tensor<T, Cpu> host;
  Tensor<T, Gpu> gpu;

  explicit Both(std::int64_t count, std::int64_t shift = 0) : host(situ::zeros<T>(Shape{count})) {
    {
      auto lease = host.write();
      for (std::int64_t i = 0; i < count; ++i) {
        lease.data()[i] =
            static_cast<T>(static_cast<situ::compute_t<T>>((i + shift) * 7 % (std::is_same_v<T, bool> ? 2 : 97)));
      }
    }
    gpu = host.template to<Gpu>();
  }

  [[nodiscard]] Tensor<T, Cpu> on_host(const Layout& layout) const { return {host.storage(), layout}; }
  [[nodiscard]] Tensor<T, Gpu> on_gpu(const Layout& layout) const { return {gpu.storage(), layout}; }
};

[[nodiscard]] inline std::int64_t most_memory(const std::vector<View>& views) {
  std::int64_t most = 1;
  for (const View& view : views) most = std::max(most, extent_in_memory(view.layout));
  return most;
}

/// Whether two elements have the same bits, or are NaN both: which NaN an operation makes is the processor's choice,
/// minus the first quiet one on x86, all ones on a GPU.
template <class T>
[[nodiscard]] bool same_bits(const T& a, const T& b) {
  if constexpr (situ::FloatingElement<T>) {
    const auto is_nan = [](const T& x) { return std::isnan(static_cast<situ::compute_t<T>>(x)); };
    if (is_nan(a) && is_nan(b)) return true;
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Whether two row-major tensors have the same bits, NaN apart; says where they differ.
template <Element T>
[[nodiscard]] bool same(const Tensor<T, Cpu>& expected, const Tensor<T, Gpu>& actual, std::string& difference) {
  const Tensor<T, Cpu> copy = actual.template to<Cpu>();
  const T* a = expected.data();
  const T* b = copy.data();
  if (!(expected.shape() == copy.shape())) {
    difference = "shapes differ";
    return false;
  }
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    if (same_bits(a[i], b[i])) continue;
    difference = "element " + std::to_string(i) + ": " +
                 std::to_string(static_cast<double>(static_cast<situ::compute_t<T>>(a[i]))) + " on the CPU, " +
                 std::to_string(static_cast<double>(static_cast<situ::compute_t<T>>(b[i]))) + " on the GPU";
    return false;
  }
  return true;
}

/// Runs `f(tensor storage..., destination storage, layout)` into the same layout of both devices' memory, which is
/// filled before, and compares all of that memory: what lies between the elements must not change.
template <Element T, class OnHost, class OnGpu>
[[nodiscard]] bool agree(const Layout& to, OnHost&& on_host, OnGpu&& on_gpu, std::string& difference) {
  const Both<T> memory(extent_in_memory(to) + 40, 3);
  Storage<Cpu> host = memory.host.storage();
  Storage<Gpu> gpu = memory.gpu.storage();
  situ::assign(host, to, on_host());
  situ::assign(gpu, to, on_gpu());
  return same(memory.host, memory.gpu, difference);
}

}  // namespace views

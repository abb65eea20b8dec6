// SPDX-License-Identifier: Apache-2.0
// For tests: arrays as plain vectors, indexed by loops that share nothing with the library, tensors of one shape that
// lie in memory in many ways, and the message of what an operation throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <situ/situ.hpp>

namespace reference {

using Indices = std::vector<std::int64_t>;

/// Elements as the type they compute in, which holds each exactly, in row-major order.
template <class C>
struct Array {
  Indices shape;
  std::vector<C> values;

  [[nodiscard]] std::size_t place(const Indices& index) const {
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) place = place * shape[axis] + index[axis];
    return static_cast<std::size_t>(place);
  }
  [[nodiscard]] auto operator()(const Indices& index) const { return values[place(index)]; }
  void set(const Indices& index, C value) { values[place(index)] = value; }

  friend bool operator==(const Array& a, const Array& b) { return a.shape == b.shape && a.values == b.values; }
};

[[nodiscard]] inline Indices index_of(const situ::Shape& shape) { return {shape.begin(), shape.end()}; }
[[nodiscard]] inline situ::Shape shape_of(const Indices& shape) { return situ::Shape(std::span<const std::int64_t>(shape)); }

/// Calls `f(index)` for every position of a shape in row-major order.
template <class F>
void for_each_index(const Indices& shape, F&& f) {
  for (const std::int64_t extent : shape) {
    if (extent == 0) return;
  }
  Indices index(shape.size(), 0);
  for (;;) {
    f(static_cast<const Indices&>(index));
    std::size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

template <class T>
using element_t = situ::compute_t<T>;

/// The elements of a host tensor, found by its strides.
template <class T, class D>
[[nodiscard]] Array<element_t<T>> array_of(const situ::Tensor<T, D>& tensor) {
  Array<element_t<T>> array{index_of(tensor.shape()), {}};
  for_each_index(array.shape, [&](const Indices& index) {
    std::int64_t place = tensor.layout().offset;
    for (std::size_t axis = 0; axis < index.size(); ++axis) place += index[axis] * tensor.layout().strides[axis];
    array.values.push_back(static_cast<element_t<T>>(tensor.storage_elements()[place]));
  });
  return array;
}

/// An array of a shape whose elements are `f(index)`.
template <class C, class F>
[[nodiscard]] Array<C> make_array(const Indices& shape, F&& f) {
  Array<C> array{shape, {}};
  for_each_index(shape, [&](const Indices& index) { array.values.push_back(static_cast<C>(f(index))); });
  return array;
}

/// A row-major tensor of 0, 1, 2, ... modulo a prime that every element type holds (2 for `bool`).
template <class T>
[[nodiscard]] situ::Tensor<T> counting(const situ::Shape& shape) {
  situ::Tensor<T> tensor = situ::zeros<T>(shape);
  {
    auto lease = tensor.write();
    for (std::int64_t i = 0; i < lease.size(); ++i) {
      lease.data()[i] = static_cast<T>(static_cast<element_t<T>>(i % (std::is_same_v<T, bool> ? 2 : 97)));
    }
  }
  return tensor;
}

/// Tensors of one shape that lie row-major, with permuted axes, with steps, backwards, and broadcast.
template <class T>
[[nodiscard]] std::vector<situ::Tensor<T>> layouts(const Indices& shape) {
  using namespace situ;
  const int rank = static_cast<int>(shape.size());
  std::vector<Tensor<T>> tensors{counting<T>(shape_of(shape))};
  if (rank == 0) return tensors;

  Indices reversed(shape.rbegin(), shape.rend());
  Layout layout = counting<T>(shape_of(reversed)).layout();
  Layout permuted{shape_of(shape), {}, 0};
  for (int axis = 0; axis < rank; ++axis) permuted.set_stride(axis, layout.stride(rank - 1 - axis));
  tensors.emplace_back(counting<T>(shape_of(reversed)).storage(), permuted);

  Indices doubled = shape;
  for (std::int64_t& extent : doubled) extent *= 2;
  const Tensor<T> wide = counting<T>(shape_of(doubled));
  Layout stepped{shape_of(shape), wide.layout().strides, 0};
  for (int axis = 0; axis < rank; ++axis) stepped.set_stride(axis, 2 * stepped.stride(axis));
  tensors.emplace_back(wide.storage(), stepped);

  const Tensor<T> base = counting<T>(shape_of(shape));
  Layout backwards = base.layout();
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t extent = backwards.shape[axis];
    if (extent > 0) backwards.offset += (extent - 1) * backwards.stride(axis);
    backwards.set_stride(axis, -backwards.stride(axis));
  }
  tensors.emplace_back(base.storage(), backwards);

  Layout broadcast = base.layout();
  broadcast.set_stride(0, 0);
  tensors.emplace_back(base.storage(), broadcast);
  return tensors;
}

/// Shapes with extents of 0, 1 and primes, of every rank from 0 to 5.
[[nodiscard]] inline std::vector<Indices> awkward_shapes() {
  return {{}, {1}, {0}, {17}, {3, 5}, {1, 7}, {7, 1}, {0, 3}, {2, 3, 5}, {1, 1, 1}, {4, 0, 2}, {3, 1, 4, 2}, {2, 1, 3, 2, 2}};
}

/// What `f` throws says this.
template <class F>
[[nodiscard]] std::string message_of(F&& f) {
  try {
    f();
  } catch (const situ::Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

[[nodiscard]] inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace reference

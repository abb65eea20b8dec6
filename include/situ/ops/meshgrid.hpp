// SPDX-License-Identifier: Apache-2.0
// `meshgrid`: the coordinates of a grid from those of its axes.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct Meshgrid;
void is_included(const Meshgrid*);  // see in_indexing.hpp
}  // namespace internal

/// The order of the first two axes of `meshgrid`.
enum class Indexing {
  xy,  // the second list first: rows are y, columns x, as in NumPy
  ij,  // the order of the lists: the default in PyTorch
};

/// For every point of a grid its coordinate along each axis, given the coordinates of the axes, lists or numbers of
/// rank 0: as many tensors of the grid's shape, all of them views. Throws `ShapeError` for an operand that is not a
/// list.
///
///     const auto [x, y] = meshgrid(linspace(0, 1, 3), linspace(0, 1, 2));     // both (2, 3)
///     const auto [i, j] = meshgrid<Indexing::ij>(arange(3), arange(2));       // both (3, 2)
template <Indexing How = Indexing::xy, TensorLike First, TensorLike... More>
  requires(internal::agrees<More, value_type_t<First>, device_t<First>> && ...)
[[nodiscard]] std::array<applied_t<First, More...>, 1 + sizeof...(More)> meshgrid(const First& first,
                                                                                  const More&... more) {
  constexpr int count = 1 + static_cast<int>(sizeof...(More));
  static_assert(count <= internal::max_rank);
  const auto axis_of = [](int operand) {
    if constexpr (How == Indexing::xy && count > 1) return operand < 2 ? 1 - operand : operand;
    else return operand;
  };
  Shape grid;
  for (int i = 0; i < count; ++i) grid.push_back(1);
  int operand = 0;
  const auto note = [&](const Shape& list) {
    if (list.rank() > 1) {
      throw ShapeError("meshgrid: operand " + std::to_string(operand) + " has shape " + list.to_string() +
                       "; the coordinates of an axis must be a list, such as flatten(x)");
    }
    grid.set(axis_of(operand++), list.count());
  };
  note(first.shape());
  (note(more.shape()), ...);
  operand = 0;
  const auto coordinate = [&](const auto& list) -> applied_t<First, More...> {
    Shape alone;
    for (int i = 0; i < count; ++i) alone.push_back(1);
    alone.set(axis_of(operand++), list.shape().count());
    return broadcast_to(reshape(list, alone), grid.checked());
  };
  return {coordinate(first), coordinate(more)...};
}
template <Indexing How = Indexing::xy, class D, class... Rest>
on_device<D> meshgrid(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                      const Rest&...);
template <Indexing How = Indexing::xy, class D, class... Rest>
on_device<D> meshgrid(const on_device<D>&, const on_device<D>&,
                      typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const Rest&...);
template <Indexing How = Indexing::xy, class T, class D, class... Rest>
placed<T, D> meshgrid(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                      const Rest&...);
template <Indexing How = Indexing::xy, class T, class D, class... Rest>
placed<T, D> meshgrid(const placed<T, D>&, const placed<T, D>&,
                      typename element_types_differ<T, D>::template fix_call_cast<T>, const Rest&...);

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// Collectives over the devices of one process: copies between them, and sums in the order of the devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/all_reduce.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/ops/creation.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

/// Announces to every device that it will read each part, before any of the copies is issued.
template <Element T, Device... D>
void announce_reads(const std::tuple<Tensor<T, D>...>& parts) {
  for_each_device<D...>([&](auto reader) {
    for_each_device<D...>(
        [&](auto i) { announce_read<std::tuple_element_t<reader, std::tuple<D...>>>(std::get<i>(parts)); });
  });
}

template <Device... D>
template <ReduceOp Op, Element T>
std::tuple<Tensor<T, D>...> DeviceMesh<D...>::all_reduce(const std::tuple<Tensor<T, D>...>& parts) {
  return all_reduced<Op>(parts);
}

template <Device... D>
template <ReduceOp Op, int Axis, Element T>
std::tuple<Tensor<T, D>...> DeviceMesh<D...>::reduce_scatter(const std::tuple<Tensor<T, D>...>& parts) {
  if (sizeof...(D) == 1) return parts;
  const EvenSplit pieces(std::get<0>(parts).shape()[Axis], sizeof...(D));
  announce_reads(parts);
  std::tuple<Tensor<T, D>...> sums;
  for_each_device<D...>([&](auto i) {
    using Owner = std::tuple_element_t<i, devices>;
    std::get<i>(sums) = combined_on<Owner, Op>(parts, Axis, pieces.begin(i), pieces.begin(i + 1));
  });
  return sums;
}

template <Device... D>
template <int Axis, Element T, Device To>
Tensor<T, To> DeviceMesh<D...>::gather(const std::tuple<Tensor<T, D>...>& parts, const Shape& shape, To) {
  if (sizeof...(D) == 1) return std::get<0>(parts).template to<To>();
  const EvenSplit pieces(shape[Axis], sizeof...(D));
  Tensor<T, To> whole = empty<T>(shape, To{});
  for_each_device<D...>([&](auto i) { place_piece(std::get<i>(parts), whole, Axis, pieces.begin(i)); });
  return whole;
}

template <Device... D>
template <int Axis, Element T>
std::tuple<Tensor<T, D>...> DeviceMesh<D...>::all_gather(const std::tuple<Tensor<T, D>...>& parts, const Shape& shape) {
  announce_reads(parts);
  return std::tuple<Tensor<T, D>...>{gather<Axis>(parts, shape, D{})...};
}

template <Device... D>
template <int From, int To, Element T>
std::tuple<Tensor<T, D>...> DeviceMesh<D...>::all_to_all(const std::tuple<Tensor<T, D>...>& parts, const Shape& shape) {
  if (sizeof...(D) == 1 || From == To) return parts;
  const EvenSplit from(shape[From], sizeof...(D));
  const EvenSplit to(shape[To], sizeof...(D));
  announce_reads(parts);
  std::tuple<Tensor<T, D>...> whole{};
  for_each_device<D...>([&](auto owner) {
    using Owner = std::tuple_element_t<owner, devices>;
    Shape own = shape;
    own.set(To, to.extent(owner));
    std::get<owner>(whole) = empty<T>(own, Owner{});
    for_each_device<D...>([&](auto i) {
      place_piece(piece(std::get<i>(parts), To, to.begin(owner), to.begin(owner + 1)), std::get<owner>(whole), From,
                  from.begin(i));
    });
  });
  return whole;
}

}  // namespace situ::internal

// SPDX-License-Identifier: Apache-2.0
// The places of the parts of a spread value: `DeviceMesh`, the devices of this process. Ranks of several processes have
// a mesh of their own in world/, with the same members:
//
//     using devices = std::tuple<D...>;                 // of this process's parts
//     template <Element T> using tensors = std::tuple<Tensor<T, D>...>;
//     template <Element T, class Layout> using spread = Spread<T, Layout, Where...>;
//     static constexpr std::size_t local = sizeof...(D);
//     static constexpr bool of_ranks = false;           // whether there are parts in other processes
//     std::size_t size() const;                         // of all parts; `first()`: the number of the first local one
//     std::size_t first() const;
//     std::string place(std::size_t part) const;        // for errors and `print`: "cuda:1"
//     bool operator==(...) const;
//     using where = Ranks<D>;                           // ranks only: the argument of `Spread` for it
//
// and the collectives, which take and return the local parts:
//
//     all_reduce<Op>(parts)                             // terms of one shape -> their sum ... on all
//     all_reduce_beside<Op>(parts)                      // ranks only: begins it, returns a function that waits
//     reduce_scatter<Op, Axis>(parts)                   // terms of one shape -> on each its piece of the sum
//     all_gather<Axis>(parts, shape)                    // pieces of a value of `shape` -> all of it on all
//     all_to_all<From, To>(parts, shape)                // pieces along one axis -> along another
//     gather<Axis>(parts, shape, device)                // devices only: pieces -> one tensor on one device
//     broadcast(parts, root)                            // ranks only: one part -> on all
//
// Everything else works on the local parts, and is written once for all meshes.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/tensor/fwd.hpp>

namespace situ {

template <Element T, class Layout, class... Where>
class Spread;

namespace internal {

/// The devices of one process, in the order of the parts. A device may occur twice. The collectives are defined in
/// distributed/device_collectives.hpp.
template <Device... D>
struct DeviceMesh {
  using devices = std::tuple<D...>;
  template <Element T>
  using tensors = std::tuple<Tensor<T, D>...>;
  template <Element T, class Layout>
  using spread = Spread<T, Layout, D...>;

  static constexpr std::size_t local = sizeof...(D);
  static constexpr bool of_ranks = false;
  [[nodiscard]] static constexpr std::size_t size() noexcept { return local; }
  [[nodiscard]] static constexpr std::size_t first() noexcept { return 0; }
  [[nodiscard]] static std::string place(std::size_t part) {
    const std::string names[] = {D::name()...};
    return names[part];
  }
  friend constexpr bool operator==(const DeviceMesh&, const DeviceMesh&) noexcept { return true; }

  template <ReduceOp Op, Element T>
  [[nodiscard]] static std::tuple<Tensor<T, D>...> all_reduce(const std::tuple<Tensor<T, D>...>& parts);
  template <ReduceOp Op, int Axis, Element T>
  [[nodiscard]] static std::tuple<Tensor<T, D>...> reduce_scatter(const std::tuple<Tensor<T, D>...>& parts);
  template <int Axis, Element T>
  [[nodiscard]] static std::tuple<Tensor<T, D>...> all_gather(const std::tuple<Tensor<T, D>...>& parts,
                                                              const Shape& shape);
  template <int From, int To, Element T>
  [[nodiscard]] static std::tuple<Tensor<T, D>...> all_to_all(const std::tuple<Tensor<T, D>...>& parts,
                                                              const Shape& shape);
  template <int Axis, Element T, Device To>
  [[nodiscard]] static Tensor<T, To> gather(const std::tuple<Tensor<T, D>...>& parts, const Shape& shape, To);
};

/// The mesh for `Where...` of a `Spread`: devices, or types that world/ specializes it for.
template <class... Where>
struct MeshOf;
template <Device... D>
  requires(sizeof...(D) > 0)
struct MeshOf<D...> {
  using type = DeviceMesh<D...>;
};
template <class... Where>
using mesh_t = typename MeshOf<Where...>::type;

/// The device of local part `At`.
template <class Mesh, std::size_t At>
using device_of_part = std::tuple_element_t<At, typename Mesh::devices>;

}  // namespace internal

}  // namespace situ

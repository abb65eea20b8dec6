// SPDX-License-Identifier: Apache-2.0
// In checked builds (SITU_CHECKED): whether the parts of a replicated value are equal, which no type can say. They are
// compared where the program states it (`as<Replicated>`) and where one of them stands for all (`gather`, `shard`,
// `partial`), among devices of one kind: a CPU and a GPU compute `exp` each in its own way.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/error.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ::internal {

/// A number made of the bits of all elements in row-major order, wherever they are (FNV-1a, of 64 bits).
template <Element T, Device D>
[[nodiscard]] std::uint64_t content_hash(const Tensor<T, D>& x) {
  const Tensor<T, Cpu> host = x.template copy_to<Cpu>();
  const auto* const bytes = reinterpret_cast<const unsigned char*>(host.element_pointer());
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t i = 0; i < static_cast<std::size_t>(host.size()) * sizeof(T); ++i) {
    hash = (hash ^ bytes[i]) * 0x100000001b3U;
  }
  return hash;
}

/// Throws `ValueError` if the parts are not equal to the bit.
template <class Mesh, class... Part>
void require_equal_replicas(const Mesh& mesh, const std::tuple<Part...>& parts, const char* operation) {
  const std::uint64_t expected = content_hash(std::get<0>(parts));
  std::size_t number = 0;
  const auto compare = [&](const auto& part) {
    if (content_hash(part) != expected) {
      throw ValueError(std::string(operation) + ": the replicas differ: part " + std::to_string(number) + ", on " +
                       mesh.place(mesh.first() + number) + ", is not equal to part 0, on " + mesh.place(mesh.first()) +
                       "; what changes one of them must change all");
    }
    ++number;
  };
  std::apply([&](const auto&... part) { (compare(part), ...); }, parts);
}
/// The same in checked builds only.
template <class Mesh, class First, class... Rest>
void check_replicas([[maybe_unused]] const Mesh& mesh, [[maybe_unused]] const std::tuple<First, Rest...>& parts,
                    [[maybe_unused]] const char* operation) {
  if constexpr (checked_build && (std::same_as<backend_t<device_t<First>>, backend_t<device_t<Rest>>> && ...)) {
    require_equal_replicas(mesh, parts, operation);
  }
}

}  // namespace situ::internal

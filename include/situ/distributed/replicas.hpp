// SPDX-License-Identifier: Apache-2.0
// In checked builds (SITU_CHECKED): the check that the parts of a replicated value are equal, which no type can
// express. They are compared where the program states it (`as<Replicated>`), where one of them represents all
// (`gather`, `shard`, `partial`), and where a function of the program made them (`Replicas`, `SpreadVariable::update`),
// only among devices of one kind: a CPU and a GPU compute `exp` differently.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// A hash of bytes in order: four independent chains of multiplications, as in XXH64. Each step is invertible, so a
/// single word that differs always changes it.
[[nodiscard]] inline std::uint64_t hash_of_bytes(const unsigned char* bytes, std::size_t count) noexcept {
  constexpr std::uint64_t odd = 0x9e3779b185ebca87U, other_odd = 0xc2b2ae3d27d4eb4fU;
  constexpr std::size_t chains = 4, step = chains * sizeof(std::uint64_t);
  std::uint64_t chain[chains] = {1, 2, 3, 4};
  for (std::size_t at = 0; at < count; at += step) {
    std::uint64_t words[chains] = {};  // bytes beyond the end are 0
    std::memcpy(words, bytes + at, std::min(step, count - at));
    for (std::size_t i = 0; i != chains; ++i) chain[i] = std::rotl(chain[i] + words[i] * other_odd, 31) * odd;
  }
  std::uint64_t hash = count;
  for (const std::uint64_t each : chain) hash = std::rotl(hash ^ each, 27) * odd + other_odd;
  return hash ^ (hash >> 32);
}

/// A hash of the bits of all elements in row-major order, on any device.
template <Element T, Device D>
[[nodiscard]] std::uint64_t content_hash(const Tensor<T, D>& x) {
  const Tensor<T, Cpu> host = x.template copy_to<Cpu>();
  return hash_of_bytes(reinterpret_cast<const unsigned char*>(host.element_pointer()),
                       static_cast<std::size_t>(host.size()) * sizeof(T));
}

/// Throws `ValueError` if the parts are not bit for bit equal.
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

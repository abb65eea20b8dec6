// SPDX-License-Identifier: Apache-2.0
// A tuple whose members kernels can read: `std::tuple` has no `__device__` accessors.
#pragma once

#include <cstddef>
#include <utility>

#include <situ/core/config.hpp>

namespace situ::internal {

template <std::size_t At, class T>
struct PackSlot {
  T value;
};
template <class Indices, class... T>
struct PackBase;
template <std::size_t... At, class... T>
struct PackBase<std::index_sequence<At...>, T...> : PackSlot<At, T>... {};

/// Member number `At` of a pack, taken from its base, so that packs share these functions.
template <std::size_t At, class T>
constexpr const T& get(const PackSlot<At, T>& slot) noexcept {
  return slot.value;
}
template <std::size_t At, class T>
constexpr T& get(PackSlot<At, T>& slot) noexcept {
  return slot.value;
}

/// An aggregate of values of several types: `Pack<int, float>{{{1}, {2.f}}}`; trivially copyable when they are.
template <class... T>
struct Pack : internal::PackBase<std::index_sequence_for<T...>, T...> {};

/// A pack of these values.
template <class... T>
[[nodiscard]] constexpr Pack<T...> make_pack(T... values) {
  return Pack<T...>{{{std::move(values)}...}};
}

}  // namespace situ::internal

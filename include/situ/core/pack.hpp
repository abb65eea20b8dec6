// SPDX-License-Identifier: Apache-2.0
// A tuple whose members kernels can read: `std::tuple` has no `__device__` accessors.
#pragma once

#include <cstddef>
#include <utility>

#include <situ/core/config.hpp>

namespace situ {

namespace internal {
template <std::size_t At, class T>
struct PackSlot {
  T value;
};
template <class Indices, class... T>
struct PackBase;
template <std::size_t... At, class... T>
struct PackBase<std::index_sequence<At...>, T...> : PackSlot<At, T>... {};

template <std::size_t At, class T>
constexpr const T& pack_get(const PackSlot<At, T>& slot) noexcept {
  return slot.value;
}
template <std::size_t At, class T>
constexpr T& pack_get(PackSlot<At, T>& slot) noexcept {
  return slot.value;
}
}  // namespace internal

/// Values of several types, an aggregate: `Pack<int, float>{{{1}, {2.f}}}`; trivially copyable when they are.
template <class... T>
struct Pack : internal::PackBase<std::index_sequence_for<T...>, T...> {};

template <class... T>
[[nodiscard]] constexpr Pack<T...> make_pack(T... values) {
  return Pack<T...>{{{std::move(values)}...}};
}

/// Member number `I`.
template <std::size_t At, class... T>
constexpr const auto& get(const Pack<T...>& pack) noexcept {
  return internal::pack_get<At>(pack);
}
template <std::size_t At, class... T>
constexpr auto& get(Pack<T...>& pack) noexcept {
  return internal::pack_get<At>(pack);
}

}  // namespace situ

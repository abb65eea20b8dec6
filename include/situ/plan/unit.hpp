// SPDX-License-Identifier: Apache-2.0
// Unsigned integers as which elements are moved: kernels that only move elements are compiled for sizes, not for types.
#pragma once

#include <cstdint>
#include <type_traits>

namespace situ::internal {

/// Two integers of 8 bytes, moved as one: an element of `std::complex<double>`.
struct [[gnu::may_alias]] PairOfUnits {
  std::uint64_t low, high;
};

/// The unsigned integer of 1, 2, 4 or 8 bytes, and a pair for 16.
template <int Bytes>
using unit_t = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<
        Bytes == 2, std::uint16_t,
        std::conditional_t<Bytes == 4, std::uint32_t, std::conditional_t<Bytes == 16, PairOfUnits, std::uint64_t>>>>;

/// `T` as a type that may alias an element of any type of its size.
template <class T>
struct AliasOf {
  using type [[gnu::may_alias]] = T;
};
template <>
struct AliasOf<PairOfUnits> {  // has the attribute itself: an alias of a class cannot
  using type = PairOfUnits;
};
template <class T>
using alias_of_t = typename AliasOf<T>::type;

}  // namespace situ::internal

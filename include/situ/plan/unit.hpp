// SPDX-License-Identifier: Apache-2.0
// The unsigned integers that elements are moved as: kernels that only move them are compiled for sizes, not for types.
#pragma once

#include <cstdint>
#include <type_traits>

#include <situ/core/config.hpp>

namespace situ::internal {

/// The unsigned integer of 1, 2, 4 or 8 bytes.
template <int Bytes>
using unit_t =
    std::conditional_t<Bytes == 1, std::uint8_t,
                       std::conditional_t<Bytes == 2, std::uint16_t,
                                          std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// Calls `f` with a null pointer to the unit of an element's size.
///
///     with_unit(operand.element_size, [&]<class Unit>(Unit*) { ... });
template <class F>
void with_unit(int element_size, F&& f) {
  switch (element_size) {
    case 1: return f(static_cast<unit_t<1>*>(nullptr));
    case 2: return f(static_cast<unit_t<2>*>(nullptr));
    case 4: return f(static_cast<unit_t<4>*>(nullptr));
    default: return f(static_cast<unit_t<8>*>(nullptr));
  }
}

}  // namespace situ::internal

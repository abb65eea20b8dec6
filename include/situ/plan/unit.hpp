// SPDX-License-Identifier: Apache-2.0
// The unsigned integers that elements are moved as: kernels that only move them are compiled for sizes, not for types.
#pragma once

#include <cstdint>
#include <type_traits>

namespace situ::internal {

/// The unsigned integer of 1, 2, 4 or 8 bytes.
template <int Bytes>
using unit_t =
    std::conditional_t<Bytes == 1, std::uint8_t,
                       std::conditional_t<Bytes == 2, std::uint16_t,
                                          std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

}  // namespace situ::internal

// SPDX-License-Identifier: Apache-2.0
// The bits of 2/pi, for the reduction of large angles.
#pragma once

#include <cstdint>

#include <situ/core/config.hpp>

namespace situ::internal::inline SITU_SETTINGS::math::detail {

/// 64 bits of 2/pi, up to 1216 bits after the binary point (computed with mpmath); number 0 is before it. A `switch`,
/// since every GPU thread would make its own copy of an array, in local memory.
constexpr std::uint64_t two_over_pi_word(int number) {
  switch (number) {
    case 1:
      return 0xa2f9836e4e441529;
    case 2:
      return 0xfc2757d1f534ddc0;
    case 3:
      return 0xdb6295993c439041;
    case 4:
      return 0xfe5163abdebbc561;
    case 5:
      return 0xb7246e3a424dd2e0;
    case 6:
      return 0x06492eea09d1921c;
    case 7:
      return 0xfe1deb1cb129a73e;
    case 8:
      return 0xe88235f52ebb4484;
    case 9:
      return 0xe99c7026b45f7e41;
    case 10:
      return 0x3991d639835339f4;
    case 11:
      return 0x9c845f8bbdf9283b;
    case 12:
      return 0x1ff897ffde05980f;
    case 13:
      return 0xef2f118b5a0a6d1f;
    case 14:
      return 0x6d367ecf27cb09b7;
    case 15:
      return 0x4f463f669e5fea2d;
    case 16:
      return 0x7527bac7ebe5f17b;
    case 17:
      return 0x3d0739f78a5292ea;
    case 18:
      return 0x6bfb5fb11f8d5d08;
    case 19:
      return 0x56033046fc7b6bab;
    default:
      return 0;
  }
}

/// The 64 bits that begin at place `shift` of two words.
constexpr std::uint64_t shifted_word(std::uint64_t high, std::uint64_t low, int shift) {
  return shift == 0 ? high : (high << shift) | (low >> (64 - shift));
}

}  // namespace situ::internal::inline SITU_SETTINGS::math::detail

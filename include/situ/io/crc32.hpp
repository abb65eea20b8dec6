// SPDX-License-Identifier: Apache-2.0
// The checksum of ZIP archives.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace situ::internal::io {

namespace detail {

/// Tables for eight bytes at a time: `crc_tables[k][b]` is the contribution of byte b followed by k bytes.
inline constexpr auto crc_tables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? (value >> 1) ^ 0xedb88320u : value >> 1;
    tables[0][byte] = value;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}();

}  // namespace detail

/// ZIP's CRC-32, continued from bytes whose checksum is `before`.
[[nodiscard]] inline std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0) {
  const auto& tables = detail::crc_tables;
  std::uint32_t crc = ~before;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint32_t low = 0, high = 0;
    std::memcpy(&low, at, 4);
    std::memcpy(&high, at + 4, 4);
    low ^= crc;
    crc = tables[7][low & 0xff] ^ tables[6][(low >> 8) & 0xff] ^ tables[5][(low >> 16) & 0xff] ^ tables[4][low >> 24] ^
          tables[3][high & 0xff] ^ tables[2][(high >> 8) & 0xff] ^ tables[1][(high >> 16) & 0xff] ^
          tables[0][high >> 24];
  }
  for (; left > 0; --left, ++at) crc = (crc >> 8) ^ tables[0][(crc ^ std::to_integer<std::uint32_t>(*at)) & 0xff];
  return ~crc;
}

}  // namespace situ::internal::io

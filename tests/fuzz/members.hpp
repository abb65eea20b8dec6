// SPDX-License-Identifier: Apache-2.0
// What the fuzzers of archives share: half of their changes are followed by the right checksums, because hardly any
// member would be read otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <situ/io/npz.hpp>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace fuzz {

/// Four bytes, the lowest first.
inline void put(std::uint8_t* to, std::uint64_t value) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

/// A change of an archive, and for an odd seed, for each member that its directory names and whose bytes are there:
/// `repair(entry, stored)`, with the directory's entry of 46 bytes and the bytes that are stored.
template <class Repair>
std::size_t mutated_archive(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed, const Repair& repair) {
  using situ::internal::io::detail::number_at;
  size = LLVMFuzzerMutate(data, size, most);
  if (seed % 2 == 0) return size;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (std::size_t at = text.find("PK\1\2"); at != std::string_view::npos; at = text.find("PK\1\2", at + 1)) {
    if (size - at < 46) break;
    const std::uint64_t local = number_at(text, at + 42, 4), stored = number_at(text, at + 20, 4);
    if (local > size || size - local < 30) continue;
    const std::uint64_t begin = local + 30 + number_at(text, local + 26, 2) + number_at(text, local + 28, 2);
    if (begin > size || stored > size - begin) continue;
    repair(data + at, std::span<const std::uint8_t>(data + begin, stored));
  }
  return size;
}

}  // namespace fuzz

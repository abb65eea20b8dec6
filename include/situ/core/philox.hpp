// SPDX-License-Identifier: Apache-2.0
// The counter-based generator Philox4x32-10 for one counter: the same words on the host and in a CUDA kernel.
#pragma once

#include <cstdint>

#include <situ/core/config.hpp>

namespace situ {

/// Four random words: what Philox makes of one counter.
struct PhiloxWords {
  std::uint32_t word[4];
  friend constexpr bool operator==(const PhiloxWords&, const PhiloxWords&) = default;
};

/// The constants of Philox4x32: the two multipliers and the two Weyl increments of the key.
struct PhiloxConstants {
  static constexpr std::uint32_t multiplier0 = 0xD2511F53u;
  static constexpr std::uint32_t multiplier1 = 0xCD9E8D57u;
  static constexpr std::uint32_t weyl0 = 0x9E3779B9u;
  static constexpr std::uint32_t weyl1 = 0xBB67AE85u;
  static constexpr int rounds = 10;
};

/// Philox4x32-10 of a counter and a key (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3",
/// SC 2011). Any two counters give independent words, so nothing has to be carried from one element to the next.
constexpr PhiloxWords philox4x32(PhiloxWords counter, std::uint32_t key0, std::uint32_t key1) {
  PhiloxWords c = counter;
  for (int round = 0; round < PhiloxConstants::rounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{PhiloxConstants::multiplier0} * c.word[0];
    const std::uint64_t product1 = std::uint64_t{PhiloxConstants::multiplier1} * c.word[2];
    c = {{static_cast<std::uint32_t>(product1 >> 32) ^ c.word[1] ^ key0, static_cast<std::uint32_t>(product1),
          static_cast<std::uint32_t>(product0 >> 32) ^ c.word[3] ^ key1, static_cast<std::uint32_t>(product0)}};
    key0 += PhiloxConstants::weyl0;
    key1 += PhiloxConstants::weyl1;
  }
  return c;
}

/// What the elements of one random tensor have in common: the generator's seed, and which draw from it this is.
struct RandomStream {
  std::uint64_t seed = 0;
  std::uint64_t draw = 0;

  /// The words of block `index` of this draw: the counter is (index, draw), the key is the seed.
  [[nodiscard]] constexpr PhiloxWords block(std::uint64_t index) const {
    return philox4x32({{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                        static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32)}},
                      static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
  }
};

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// The counter-based generator Philox4x32-10 for one counter: the same words on the host and in a CUDA kernel.
#pragma once

#include <concepts>
#include <cstdint>

#include <situ/core/call_count.hpp>
#include <situ/core/config.hpp>

namespace situ::internal {

/// Four random words: the output of Philox for one counter.
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

/// The key of a round of Philox. A kernel is passed the keys of all rounds, which are then constants, free operands of
/// instructions; computing them in every thread would be a third of its work.
struct PhiloxKey {
  std::uint32_t word[2];

  [[nodiscard]] constexpr PhiloxKey next() const {
    return {{word[0] + PhiloxConstants::weyl0, word[1] + PhiloxConstants::weyl1}};
  }
};

/// One round of Philox4x32.
constexpr PhiloxWords philox_round(const PhiloxWords& c, const PhiloxKey& key) {
  const std::uint64_t product0 = std::uint64_t{PhiloxConstants::multiplier0} * c.word[0];
  const std::uint64_t product1 = std::uint64_t{PhiloxConstants::multiplier1} * c.word[2];
  return {{static_cast<std::uint32_t>(product1 >> 32) ^ c.word[1] ^ key.word[0], static_cast<std::uint32_t>(product1),
           static_cast<std::uint32_t>(product0 >> 32) ^ c.word[3] ^ key.word[1], static_cast<std::uint32_t>(product0)}};
}

/// Philox4x32-10 of a counter and a key (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3",
/// SC 2011). Different counters yield independent words, so no state is carried from one element to the next.
constexpr PhiloxWords philox4x32(PhiloxWords counter, std::uint32_t key0, std::uint32_t key1) {
  PhiloxWords c = counter;
  PhiloxKey key{{key0, key1}};
  for (int round = 0; round < PhiloxConstants::rounds; ++round, key = key.next()) c = philox_round(c, key);
  return c;
}

/// The state shared by the elements of one random tensor: the generator's seed and the number of the draw.
struct RandomStream {
  std::uint64_t seed = 0;
  std::uint64_t draw = 0;
  AddedByCalls added = nullptr;  // to `draw`, by `now`

  /// The stream whose draw has the number that it has in this call of a captured graph: for kernels.
  [[nodiscard]] constexpr RandomStream now() const { return {seed, draw + value_of(added)}; }

  /// The words of block `index` of this draw: the counter is (index, draw), the key is the seed.
  [[nodiscard]] constexpr PhiloxWords block(std::uint64_t index) const {
    return philox4x32(counter(index), key().word[0], key().word[1]);
  }
  [[nodiscard]] constexpr PhiloxWords counter(std::uint64_t index) const {
    return {{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
             static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32)}};
  }
  [[nodiscard]] constexpr PhiloxKey key() const {
    return {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  }
};

/// A function of positions that draws random numbers. (In a captured graph a kernel calls it with `stream.now()`.)
template <class F>
concept DrawsFromStream = requires(const F& f) { requires std::same_as<const RandomStream&, decltype((f.stream))>; };

}  // namespace situ::internal

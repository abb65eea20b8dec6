// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 against the known answers of Random123, and what makes a stream.
#include <cstdint>

#include <doctest/doctest.h>

#include <situ/core/philox.hpp>
#include <situ/cpu/random.hpp>

namespace {

using situ::internal::philox4x32;
using situ::internal::PhiloxWords;
using situ::internal::RandomStream;

// Known answers of Random123 1.14 (tests/kat_vectors, philox4x32 with 10 rounds).
static_assert(philox4x32({{0, 0, 0, 0}}, 0, 0) ==
              PhiloxWords{{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
static_assert(philox4x32({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, 0xffffffff, 0xffffffff) ==
              PhiloxWords{{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
static_assert(philox4x32({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0) ==
              PhiloxWords{{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});

/// The words that the vector form makes of one block.
PhiloxWords from_tile(const RandomStream& stream, std::uint64_t block, int position) {
  situ::internal::cpu::detail::WordTile tile;
  situ::internal::cpu::detail::philox_tile<1>(stream, block - static_cast<std::uint64_t>(position), tile);
  const std::uint64_t even = tile.even[position], odd = tile.odd[position];
  return {{static_cast<std::uint32_t>(even), static_cast<std::uint32_t>(odd), static_cast<std::uint32_t>(even >> 32),
           static_cast<std::uint32_t>(odd >> 32)}};
}

TEST_CASE("philox: the known answers, at run time and by vector registers") {
  volatile std::uint32_t zero = 0;  // keeps the compiler from evaluating the call
  CHECK(philox4x32({{zero, zero, zero, zero}}, zero, zero) ==
        PhiloxWords{{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});

  CHECK(from_tile({0, 0}, 0, 0) == PhiloxWords{{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
  CHECK(from_tile({~std::uint64_t{0}, ~std::uint64_t{0}}, ~std::uint64_t{0}, 5) ==
        PhiloxWords{{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
  const RandomStream pi{0x299f31d0a4093822, 0x0370734413198a2e};
  for (const int position : {0, 1, 7, 63}) {
    CAPTURE(position);
    CHECK(from_tile(pi, 0x85a308d3243f6a88, position) ==
          PhiloxWords{{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
  }
}

TEST_CASE("philox: vector registers and scalars agree across the carry of the block's number") {
  const RandomStream stream{0x0123456789abcdef, 3};
  situ::internal::cpu::detail::WordTile tile;
  const std::uint64_t first = (std::uint64_t{1} << 32) - 17;
  situ::internal::cpu::detail::philox_tile<2>(stream, first, tile);
  for (int i = 0; i < situ::internal::cpu::detail::tile_blocks; ++i) {
    const PhiloxWords words = stream.block(first + static_cast<std::uint64_t>(i));
    CHECK(tile.even[i] == ((std::uint64_t{words.word[1]} << 32) | words.word[0]));
    CHECK(tile.odd[i] == ((std::uint64_t{words.word[3]} << 32) | words.word[2]));
  }
}

TEST_CASE("philox: seed, draw and block all matter") {
  const PhiloxWords base = RandomStream{1, 2}.block(3);
  CHECK(base != RandomStream{2, 2}.block(3));
  CHECK(base != RandomStream{1 + (std::uint64_t{1} << 32), 2}.block(3));
  CHECK(base != RandomStream{1, 3}.block(3));
  CHECK(base != RandomStream{1, 2 + (std::uint64_t{1} << 32)}.block(3));
  CHECK(base != RandomStream{1, 2}.block(4));
  CHECK(base != RandomStream{1, 2}.block(3 + (std::uint64_t{1} << 32)));
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
#include "registers.hpp"

#include <algorithm>
#include <cstring>

namespace ptx {

std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::vector<char> random_bytes(std::size_t count, std::uint64_t& state) {
  std::vector<char> bytes(count);
  for (std::size_t at = 0; at < count; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = next_random(state);
    std::memcpy(&bytes[at], &word, std::min(sizeof word, count - at));
  }
  return bytes;
}

void Registers::resize(int registers, int predicates) {
  const auto count = static_cast<std::size_t>(registers);
  words_.resize(count * warp_size);
  defined_.resize(count);
  copied_.resize(count);
  bytes_.resize(count * warp_size);
  predicates_.resize(static_cast<std::size_t>(predicates));
  predicates_defined_.resize(static_cast<std::size_t>(predicates));
}
void Registers::fill(const std::vector<char>& garbage, std::uint64_t& random) {
  constexpr std::size_t piece = warp_size * sizeof(Word);
  for (std::size_t at = 0; at < words_.size(); at += warp_size) {
    std::memcpy(&words_[at], &garbage[next_random(random) % (garbage.size() - piece)], piece);
  }
  for (Lanes& predicate : predicates_) predicate = static_cast<Lanes>(next_random(random));
}
void Registers::forget() {
  std::fill(defined_.begin(), defined_.end(), 0);
  std::fill(copied_.begin(), copied_.end(), 0);
  std::fill(predicates_defined_.begin(), predicates_defined_.end(), 0);
}

void Registers::define_bytes(int number, int lane, Bytes bytes, Bytes wanted) {
  const auto at = static_cast<std::size_t>(number);
  const Lanes bit = Lanes{1} << lane;
  if ((bytes & wanted) == wanted) {
    defined_[at] |= bit;
    return;
  }
  defined_[at] &= ~bit;
  copied_[at] |= bit;
  bytes_[at * warp_size + static_cast<std::size_t>(lane)] = bytes;
}
Bytes Registers::bytes(int number, int lane) const {
  const auto at = static_cast<std::size_t>(number);
  if (defined_[at] >> lane & 1) return all_bytes;
  return copied_[at] >> lane & 1 ? bytes_[at * warp_size + static_cast<std::size_t>(lane)] : Bytes{0};
}

}  // namespace ptx

// SPDX-License-Identifier: Apache-2.0
#include "registers.hpp"

#include <algorithm>

namespace ptx {

std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
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
void Registers::fill(std::uint64_t& random) {
  for (Word& word : words_) word = next_random(random);
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

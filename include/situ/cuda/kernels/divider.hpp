// SPDX-License-Identifier: Apache-2.0
// Division by multiplication in kernels, to unravel an index.
#pragma once

#include <situ/core/config.hpp>

#if defined(SITU_CUDA)

#include <cstdint>
#include <type_traits>

namespace situ::internal::cuda {

/// Division by a number known on the host: the quotient is `(n * multiplier / 2^w + n) >> shift` (Granlund and
/// Montgomery, "Division by invariant integers using multiplication", 1994, figure 4.1). `Index` is int32_t or int64_t;
/// the dividend is not negative, so that the sum does not overflow the unsigned word.
template <class Index>
struct Divider {
  using Word = std::make_unsigned_t<Index>;
  Word multiplier = 1;
  Word divisor = 1;
  int shift = 0;

  Divider() = default;
  explicit Divider(Index d) : divisor(static_cast<Word>(d)) {
    SITU_ASSERT(d >= 1);
    while ((Word{1} << shift) < divisor) ++shift;
    const Wide one = 1;
    multiplier = static_cast<Word>((one << bits) * ((one << shift) - divisor) / divisor + 1);
  }

  [[nodiscard]] constexpr Index quotient(Index n) const {
    const Word dividend = static_cast<Word>(n);
    const Word high = static_cast<Word>((static_cast<Wide>(dividend) * multiplier) >> bits);
    return static_cast<Index>((high + dividend) >> shift);
  }

 private:
  static constexpr int bits = 8 * static_cast<int>(sizeof(Index));
  __extension__ using Wide = std::conditional_t<sizeof(Index) == 4, std::uint64_t, unsigned __int128>;
};

}  // namespace situ::internal::cuda

#endif

// SPDX-License-Identifier: Apache-2.0
// Rearranges the elements of vector registers, in the one spelling that g++, clang++ and nvcc all accept.
#pragma once

#include <situ/core/config.hpp>
#include <situ/cpu/lanes/native.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// The register whose element `i` is element `At[i]` of `a` and `b`, one after the other. It may be narrower or wider
/// than they are: `shuffle<0, 4, 1, 5>(a, b)` is a0 b0 a1 b1 for registers of 4.
///
/// Not `__builtin_shufflevector(a, b, At...)`: the front end of nvcc 13 drops the `...` of a pack there. g++ and
/// clang++ generate the same instructions from a list of elements, at -O1 too.
template <int... At, class R>
[[SITU_INLINE]] inline auto shuffle(R a, R b) {
  constexpr int width = native::width_v<R>;
  using Result = native::vector_t<native::element_t<R>, static_cast<int>(sizeof...(At) * sizeof(native::element_t<R>))>;
  return Result{(At < width ? a[At % width] : b[At % width])...};
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu

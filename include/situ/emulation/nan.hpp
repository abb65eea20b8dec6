// SPDX-License-Identifier: Apache-2.0
// The bits of a NaN. Whatever instruction for floats makes one on a GPU, from whatever operands, they are 0x7fffffff
// (`CUDART_NAN_F` of CUDA's math_constants.h); x86 makes 0xffc00000, or takes over an operand's. Of doubles both make
// 0xfff8000000000000 and take over an operand's.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <situ/core/pack.hpp>

namespace situ::internal::cuda {

namespace emulated {
/// Off for a test of the tests that depend on it.
inline constinit bool has_nan_of_gpu = true;
}  // namespace emulated

namespace kernel {

/// What a thread has computed, as a GPU has it.
template <class V>
V computed(V value) {
  if constexpr (std::same_as<V, float>) {
    if (value != value && emulated::has_nan_of_gpu) return std::bit_cast<float>(0x7fffffffu);
  }
  return value;
}
template <class... V>
Pack<V...> computed(const Pack<V...>& values) {
  return [&]<std::size_t... At>(std::index_sequence<At...>) {
    return make_pack(computed(get<At>(values))...);
  }(std::index_sequence_for<V...>{});
}

}  // namespace kernel

}  // namespace situ::internal::cuda

// SPDX-License-Identifier: Apache-2.0
// The bits of a NaN. On a GPU, a single-precision operation that results in NaN returns 0x7fffffff for any operands
// (CUDA programming guide, "Floating-Point Standard"; `CUDART_NAN_F`), and so does a conversion to `float`; one to a
// 16-bit float returns 0x7fff (`CUDART_NAN_FP16`, `CUDART_NAN_BF16`). x86 produces 0xffc00000, or propagates an
// operand's bits. For doubles, both produce 0xfff8000000000000 or propagate an operand's bits. An operation that only
// selects a NaN keeps its bits.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/core/pack.hpp>

namespace situ::internal::cuda {

namespace emulated {
/// Turned off to test the tests that depend on it.
inline constinit bool has_nan_of_gpu = true;
}  // namespace emulated

namespace kernel {

/// A value that a thread has computed, with a GPU's NaN.
template <class V>
V computed(V value) {
  if constexpr (std::same_as<V, float>) {
    if (value != value && emulated::has_nan_of_gpu) return std::bit_cast<float>(0x7fffffffu);
  } else if constexpr (OneOf<V, float16, bfloat16>) {
    if (value != value && emulated::has_nan_of_gpu) return std::bit_cast<V>(std::uint16_t{0x7fff});
  } else if constexpr (ComplexElement<V>) {
    return V(computed(value.real()), computed(value.imag()));
  }
  return value;
}
template <class V>
lane::ComplexLane<V> computed(lane::ComplexLane<V> value) {
  return {computed(value.re), computed(value.im)};
}
template <class... V>
Pack<V...> computed(const Pack<V...>& values) {
  return [&]<std::size_t... At>(std::index_sequence<At...>) {
    return make_pack(computed(get<At>(values))...);
  }(std::index_sequence_for<V...>{});
}

}  // namespace kernel

}  // namespace situ::internal::cuda

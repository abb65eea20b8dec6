// SPDX-License-Identifier: Apache-2.0
// What lanes are made of: the element, mask and number of elements of a lane type, scalars being lanes of one; and what
// the hardware is fast at.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>

namespace situ {

/// What one element of `U` is computed in: itself, and of a complex one a `ComplexLane`; and what a program holds one
/// in.
template <class U>
struct ScalarLane {
  static_assert(!ComplexElement<U>, "complex elements are std::complex<float> and std::complex<double>; "
                                    "fix: #include <situ/complex.hpp> before the first tensor of them");
  using type = U;
  using held = U;
};

/// What a lane type is made of. A scalar is its own element; `Lanes<T, Size>` and `Mask<T, Size>` specialise this.
template <class V>
struct LaneTraits {
  using element = V;
  using mask = bool;
  template <class U>
  using rebind = typename ScalarLane<U>::type;
  static constexpr int count = 1;
};

/// The element of a lane type: `float` for both `float` and `Lanes<float, 16>`.
template <class V>
using lane_element_t = typename LaneTraits<V>::element;

/// The lane type with as many elements of another type: `U`, or `Lanes<U, Size>` (`Mask` if `U` is `bool`).
template <class V, class U>
using rebind_lane_t = typename LaneTraits<V>::template rebind<U>;

/// What comparing two `V` gives: `bool` or `Mask<T, Size>`.
template <class V>
using mask_t = typename LaneTraits<V>::mask;

/// The number of elements in a lane type: 1 for a scalar.
template <class V>
inline constexpr int lane_count_v = LaneTraits<V>::count;

namespace internal::lane {
/// Complex numbers whose parts are lanes: of complex.hpp, which `situ/complex.hpp` includes.
template <class V>
struct ComplexLane;

/// A scalar lane as a user's functor takes it, and what that gives as a lane: complex numbers are another type there.
template <class V>
[[SITU_INLINE]] constexpr auto element_of(V value) {
  if constexpr (ComplexElement<lane_element_t<V>>) return static_cast<lane_element_t<V>>(value);
  else return value;
}
template <class T>
[[SITU_INLINE]] constexpr auto lane_of(T element) {
  return static_cast<typename ScalarLane<T>::type>(element);
}
}  // namespace internal::lane

/// The signed integer as wide as `T`: what `to_bits` gives.
template <class T>
using bits_t = std::conditional_t<
    sizeof(T) == 1, std::int8_t,
    std::conditional_t<sizeof(T) == 2, std::int16_t,
                       std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>>;

/// Whether the hardware multiplies and adds with one rounding, so that `mul_add` is `fma`.
#if defined(__FMA__) || defined(__CUDA_ARCH__) || defined(__FP_FAST_FMA)
inline constexpr bool has_fast_fma = true;
#else
inline constexpr bool has_fast_fma = false;
#endif

/// Whether this is `float` in a kernel of a GPU: there CUDA's functions of it, which are at most 2 ulp off, take a
/// fraction of the instructions of a formula that lanes share. (Of `double`, they are calls with slow paths, and spill
/// registers.)
template <class V>
inline constexpr bool is_kernel_float =
#if defined(__CUDA_ARCH__)
    std::same_as<V, float>;
#else
    false;
#endif

}  // namespace situ

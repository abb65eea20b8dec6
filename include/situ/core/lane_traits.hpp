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

namespace internal {

/// The type that one element of `U` is computed in, `U` itself or a `ComplexLane`, and the type that a program stores
/// one in.
template <class U>
struct ScalarLane {
  static_assert(!ComplexElement<U>,
                "complex elements are std::complex<float> and std::complex<double>; "
                "fix: #include <situ/complex.hpp> before the first tensor of them");
  using type = U;
  using held = U;
};

/// The parts of a lane type. A scalar is its own element; `Lanes<T, Size>` and `Mask<T, Size>` specialize this.
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

/// The result of comparing two `V`: `bool` or `Mask<T, Size>`.
template <class V>
using mask_t = typename LaneTraits<V>::mask;

/// The number of elements in a lane type: 1 for a scalar.
template <class V>
inline constexpr int lane_count_v = LaneTraits<V>::count;

}  // namespace internal

namespace internal::lane {
/// Complex numbers whose parts are lanes, defined in complex_lane.hpp.
template <class V>
struct ComplexLane;

/// Converts a scalar lane to the argument of a user's functor, and its result back to a lane: complex numbers have
/// another type there.
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

namespace internal {

/// The signed integer as wide as `T`, which `to_bits` returns.
template <class T>
using bits_t = std::conditional_t<
    sizeof(T) == 1, std::int8_t,
    std::conditional_t<sizeof(T) == 2, std::int16_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>>;

}  // namespace internal

/// Whether the hardware multiplies and adds with one rounding, so that `mul_add` is `fma`.
#if defined(__FMA__) || defined(__CUDA_ARCH__) || defined(__FP_FAST_FMA)
namespace internal {

inline constexpr bool has_fast_fma = true;

}  // namespace internal
#else
namespace internal {

inline constexpr bool has_fast_fma = false;

}  // namespace internal
#endif

namespace internal {

/// Whether this is `float` in a GPU kernel. There CUDA's functions, which are at most 2 ulp off, take a fraction of the
/// instructions of the formula shared by all lanes. (For `double` they are calls with slow paths, and spill registers.)
template <class V>
inline constexpr bool is_kernel_float =
#if defined(__CUDA_ARCH__)
    std::same_as<V, float>;
#else
    false;
#endif

}  // namespace internal

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// Complex numbers as formulas compute with them: two lanes, the real and the imaginary part. One template serves a
// scalar on a GPU and SIMD vectors on the CPU, as the primitives of core/lane.hpp do. (std::complex serves neither: its
// product is a function call that checks for NaN, and it has no vector form.)
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>

namespace situ {

namespace internal::lane {

/// The memory layout of `std::complex<T>`. (Used inside structures: for one that contains a std::complex, g++ warns in
/// every file that the way it is passed has changed.)
template <class T>
struct ComplexParts {
  T re;
  T im;

  ComplexParts() = default;
  constexpr ComplexParts(T real, T imaginary) : re(real), im(imaginary) {}
  constexpr ComplexParts(const std::complex<T>& value) : re(value.real()), im(value.imag()) {}
};

template <class V>
struct ComplexLane {
  using Real = lane_element_t<V>;
  V re;
  V im;

  ComplexLane() = default;
  [[SITU_INLINE]] constexpr ComplexLane(V real, V imaginary) : re(real), im(imaginary) {}
  /// (Converted by its bits: the functions of std::complex do not run on a GPU.)
  [[SITU_INLINE]] constexpr ComplexLane(const std::complex<Real>& value)
      : ComplexLane(__builtin_bit_cast(ComplexParts<Real>, value)) {}
  [[SITU_INLINE]] constexpr explicit ComplexLane(ComplexParts<Real> parts) : re(parts.re), im(parts.im) {}

  [[SITU_INLINE]] constexpr operator std::complex<Real>() const
    requires std::same_as<V, Real>
  {
    return __builtin_bit_cast(std::complex<Real>, ComplexParts<Real>(re, im));
  }

  /// As many adjacent elements as the lanes have; `load_parts_of` is defined beside the lanes.
  [[SITU_INLINE]] static ComplexLane load(const std::complex<Real>* from) {
    ComplexLane x;
    load_parts_of(from, x.re, x.im);
    return x;
  }

  [[SITU_INLINE]] friend constexpr ComplexLane operator+(ComplexLane a, ComplexLane b) {
    return {a.re + b.re, a.im + b.im};
  }
  [[SITU_INLINE]] friend constexpr ComplexLane operator-(ComplexLane a, ComplexLane b) {
    return {a.re - b.re, a.im - b.im};
  }
  [[SITU_INLINE]] friend constexpr ComplexLane operator-(ComplexLane a) { return {-a.re, -a.im}; }
  /// As in NumPy: infinities are not recovered as in C99 Annex G.
  [[SITU_INLINE]] friend constexpr ComplexLane operator*(ComplexLane a, ComplexLane b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  /// Scales by the larger part of the divisor, so that its square may overflow: R. L. Smith, "Algorithm 116: Complex
  /// division", CACM 5 (1962). Division by 0 divides each part by 0, as in NumPy.
  [[SITU_INLINE]] friend constexpr ComplexLane operator/(ComplexLane a, ComplexLane b) {
    const V zero(Real(0));
    const auto real_is_larger = abs(b.re) >= abs(b.im);
    const V p = select(real_is_larger, b.re, b.im);
    const V q = select(real_is_larger, b.im, b.re);
    const V x = select(real_is_larger, a.re, a.im);
    const V y = select(real_is_larger, a.im, a.re);
    const auto by_zero = p == zero && q == zero;
    const V ratio = select(by_zero, zero, q / p);
    const V scale = select(by_zero, zero, p + q * ratio);
    const V imaginary = (y - x * ratio) / scale;
    return {(x + y * ratio) / scale, select(real_is_larger, imaginary, -imaginary)};
  }
  [[SITU_INLINE]] friend constexpr auto operator==(ComplexLane a, ComplexLane b) {
    return a.re == b.re && a.im == b.im;
  }
  [[SITU_INLINE]] friend constexpr auto operator!=(ComplexLane a, ComplexLane b) {
    return a.re != b.re || a.im != b.im;
  }
};

template <class V>
[[SITU_INLINE]] constexpr ComplexLane<V> conjugate(ComplexLane<V> x) {
  return {x.re, -x.im};
}
template <class V, class M>
[[SITU_INLINE]] constexpr ComplexLane<V> select(M mask, ComplexLane<V> a, ComplexLane<V> b) {
  return {select(mask, a.re, b.re), select(mask, a.im, b.im)};
}

/// |x|, scaled by the larger part, so that nothing overflows unless the result does; infinite if a part is.
template <class V>
[[SITU_INLINE]] constexpr V abs(ComplexLane<V> x) {
  using T = lane_element_t<V>;
  const V zero(T(0));
  const V infinity(std::numeric_limits<T>::infinity());
  const V a = abs(x.re);
  const V b = abs(x.im);
  const V large = max_number(a, b);
  const V small_part = select(a < b, a, b);
  const V ratio = select(large == zero, zero, small_part / large);
  const V value = large * sqrt(V(T(1)) + ratio * ratio);
  // a NaN in either part: `max_number` may have picked the other
  return select(a == infinity || b == infinity, infinity, value + (zero * a + zero * b));
}
/// The gradient of x from that of |x|: in the direction of x, and 0 where x is 0.
template <class V>
[[SITU_INLINE]] constexpr ComplexLane<V> derivative_of_abs(V g, ComplexLane<V> x) {
  const V zero(lane_element_t<V>(0));
  const V size = abs(x);
  const V divisor = select(size == zero, V(lane_element_t<V>(1)), size);
  return {g * (x.re / divisor), g * (x.im / divisor)};
}

/// Complex numbers of another precision, or of real numbers.
template <class U, class V>
  requires ComplexElement<U>
[[SITU_INLINE]] constexpr auto convert(ComplexLane<V> x) {
  return ComplexLane<rebind_lane_t<V, real_t<U>>>(convert<real_t<U>>(x.re), convert<real_t<U>>(x.im));
}

/// The real part: the gradient of a real number that was converted to complex. (`cast` itself refuses.)
template <class U, class V>
  requires(!ComplexElement<U>)
[[SITU_INLINE]] constexpr auto convert(ComplexLane<V> x) {
  return convert<U>(x.re);
}

}  // namespace internal::lane

namespace internal {

template <class V>
struct LaneTraits<internal::lane::ComplexLane<V>> {
  using element = std::complex<lane_element_t<V>>;
  using mask = mask_t<V>;
  template <class U>
  using rebind = rebind_lane_t<V, U>;
  static constexpr int count = lane_count_v<V>;
};
template <ComplexElement T>
struct ScalarLane<T> {
  using type = internal::lane::ComplexLane<real_t<T>>;
  using held = internal::lane::ComplexParts<real_t<T>>;
};

}  // namespace internal

}  // namespace situ

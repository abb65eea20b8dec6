// SPDX-License-Identifier: Apache-2.0
// Loads and stores of lanes for every element type; they convert 16-bit floats and `bool`.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/cpu/lanes/convert.hpp>
#include <situ/cpu/lanes/lanes.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace native {

template <class L, class T, std::size_t... At>
[[SITU_INLINE]] inline void load_parts(std::index_sequence<At...>, L& lanes, const T* from) {
  constexpr std::size_t width = L::count / L::registers;
  (__builtin_memcpy(&lanes.part[At], from + At * width, sizeof(lanes.part[At])), ...);
}

template <class L, class T, std::size_t... At>
[[SITU_INLINE]] inline void store_parts(std::index_sequence<At...>, const L& lanes, T* to) {
  constexpr std::size_t width = L::count / L::registers;
  (__builtin_memcpy(to + At * width, &lanes.part[At], sizeof(lanes.part[At])), ...);
}

template <class L, class T, std::size_t... At>
[[SITU_INLINE]] inline void stream_parts(std::index_sequence<At...>, const L& lanes, T* to) {
  constexpr std::size_t width = L::count / L::registers;
  (stream(to + At * width, lanes.part[At]), ...);
}

template <class T, int Size>
[[SITU_INLINE]] inline Lanes<T, Size> load_plain(const void* from) {
  Lanes<T, Size> result;
  load_parts(std::make_index_sequence<Lanes<T, Size>::registers>{}, result, static_cast<const T*>(from));
  return result;
}

template <class T, int Size>
[[SITU_INLINE]] inline void store_plain(void* to, const Lanes<T, Size>& lanes) {
  store_parts(std::make_index_sequence<Lanes<T, Size>::registers>{}, lanes, static_cast<T*>(to));
}

}  // namespace native

/// The bits of `Size` `float16` as `float`. With F16C one instruction per register, otherwise the arithmetic of
/// `float16` itself.
template <int Size>
[[SITU_INLINE]] inline Lanes<float, Size> widen_float16(Lanes<std::uint16_t, Size> bits) {
#if defined(__F16C__)
  using Float = Lanes<float, Size>;
  constexpr int width = Size / Float::registers;
  if constexpr (width >= 4) {
    Float result;
    [&]<std::size_t... At>(std::index_sequence<At...>) SITU_INLINE_LAMBDA {
      constexpr int source_width = Size / Lanes<std::uint16_t, Size>::registers;
      ((result.part[At] = native::widen_float16(native::slice<static_cast<int>(At) * width % source_width, width>(
            bits.part[static_cast<int>(At) * width / source_width]))),
       ...);
    }(std::make_index_sequence<Float::registers>{});
    return result;
  }
#endif
  using Int = Lanes<std::int32_t, Size>;
  const Int word = convert<std::int32_t>(bits);
  const Int magnitude = word & Int(0x7fff);
  const Lanes<float, Size> subnormal = convert<float>(magnitude) * Lanes<float, Size>(0x1p-24f);
  Int result = (magnitude << 13) + Int(0x38000000);
  result = select(magnitude < Int(0x0400), to_bits(subnormal), result);
  result = select(magnitude > Int(0x7bff), (magnitude << 13) | Int(0x7f800000), result);
  return from_bits<float>(result | ((word & Int(0x8000)) << 16));
}

/// `Size` floats rounded to `float16`, as bits: to nearest even, overflow gives infinity.
template <int Size>
[[SITU_INLINE]] inline Lanes<std::uint16_t, Size> narrow_float16(Lanes<float, Size> x) {
#if defined(__F16C__)
  using Half = Lanes<std::uint16_t, Size>;
  constexpr int width = Size / Lanes<float, Size>::registers;
  if constexpr (width >= 4) {
    Half result;
    [&]<std::size_t... At>(std::index_sequence<At...>) SITU_INLINE_LAMBDA {
      constexpr std::size_t ratio = Lanes<float, Size>::registers / Half::registers;
      ((result.part[At] = native::narrow_joined<ratio * At, ratio>(x)), ...);
    }(std::make_index_sequence<Half::registers>{});
    return result;
  }
#endif
  using Int = Lanes<std::int32_t, Size>;
  const Int word = to_bits(x);
  const Int sign = shift_right_logical(word, 16) & Int(0x8000);
  const Int magnitude = word & Int(0x7fffffff);
  const Int odd = shift_right_logical(magnitude, 13) & Int(1);
  const Int normal = shift_right_logical(magnitude + Int(0x0fff) + odd - Int(0x38000000), 13);
  const Int subnormal = to_bits(from_bits<float>(magnitude) + Lanes<float, Size>(0.5f)) - Int(0x3f000000);
  Int result = select(magnitude < Int(0x38800000), subnormal, normal);
  result = select(magnitude >= Int(0x477ff000), Int(0x7c00), result);
  result = select(magnitude > Int(0x7f800000), Int(0x7e00), result);
  return convert<std::uint16_t>(result | sign);
}

/// `Size` floats rounded to `bfloat16`, as bits in the lower halves.
template <int Size>
[[SITU_INLINE]] inline Lanes<std::int32_t, Size> narrow_bfloat16(Lanes<float, Size> x) {
  using Int = Lanes<std::int32_t, Size>;
  const Int word = to_bits(x);
  const Int rounded = shift_right_logical(word + Int(0x7fff) + (shift_right_logical(word, 16) & Int(1)), 16);
  return select(x != x, shift_right_logical(word, 16) | Int(0x0040), rounded);
}

/// `Size` elements from unaligned memory, in the form that expressions compute in: 16-bit floats as `float`, `bool` as
/// a mask (any nonzero byte is true).
///
///     Lanes<float, 16> x = load<float16, 16>(p);
template <Element T, int Size>
[[SITU_INLINE]] inline auto load(const T* from) {
  if constexpr (std::same_as<T, bool>) {
    return native::load_plain<std::uint8_t, Size>(from) != Lanes<std::uint8_t, Size>(std::uint8_t(0));
  } else if constexpr (std::same_as<T, float16>) {
    return widen_float16(native::load_plain<std::uint16_t, Size>(from));
  } else if constexpr (std::same_as<T, bfloat16>) {
    return from_bits<float>(convert<std::int32_t>(native::load_plain<std::uint16_t, Size>(from)) << 16);
  } else if constexpr (StorageElement<T>) {
    return T::Conversion::widen(convert<std::int32_t>(native::load_plain<std::uint8_t, Size>(from)));
  } else {
    return native::load_plain<T, Size>(from);
  }
}

/// `Size` elements to unaligned memory; the reverse of `load`, 16-bit floats rounded to nearest even.
template <Element T, int Size>
  requires(!std::same_as<T, bool>)
[[SITU_INLINE]] inline void store(T* to, Lanes<std::type_identity_t<compute_t<T>>, Size> lanes) {
  if constexpr (std::same_as<T, float16>) native::store_plain(to, narrow_float16(lanes));
  else if constexpr (std::same_as<T, bfloat16>) native::store_plain(to, convert<std::uint16_t>(narrow_bfloat16(lanes)));
  else if constexpr (StorageElement<T>) native::store_plain(to, convert<std::uint8_t>(T::Conversion::narrow(lanes)));
  else native::store_plain(to, lanes);
}

/// Stores lanes, past the cache, to an address aligned to their size (see `stream_fence`).
template <class T, int Size>
[[SITU_INLINE]] inline void stream(T* to, const Lanes<T, Size>& lanes) {
  native::stream_parts(std::make_index_sequence<Lanes<T, Size>::registers>{}, lanes, to);
}

/// A mask of any width to bytes of 0 and 1.
template <class T, int Size>
[[SITU_INLINE]] inline void store(bool* to, Mask<T, Size> mask) {
  native::store_plain(to, convert<std::uint8_t>(mask_cast<std::uint8_t>(mask)));
}

/// Each element narrowed to the storage type `S` and widened again (see core/lane.hpp).
template <class S, class T, int Size>
[[SITU_INLINE]] inline Lanes<T, Size> round_to(Lanes<T, Size> x) {
  if constexpr (std::same_as<S, float16>) return widen_float16(narrow_float16(x));
  else if constexpr (std::same_as<S, bfloat16>) return from_bits<float>(narrow_bfloat16(x) << 16);
  else if constexpr (StorageElement<S>) return S::Conversion::widen(S::Conversion::narrow(x));
  else return x;
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu

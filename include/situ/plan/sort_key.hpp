// SPDX-License-Identifier: Apache-2.0
// The order of elements as unsigned integers, which sort, argsort and topk compare on every device.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>

namespace situ::internal {

/// Maps elements to unsigned integers of their size whose order is that of the elements, or the reverse. -0 and 0 have
/// one key, and NaN has the largest in both directions, so that it comes last.
template <Element T>
struct SortKey {
  static_assert(!ComplexElement<T>, "complex numbers have no order: sort abs(z), or real(z)");
  static_assert(!StorageElement<T>, "8-bit floats are a storage type: cast<float>(x) has an order");
  using type = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                     std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

  static constexpr type all = static_cast<type>(~type{0});
  static constexpr type sign = static_cast<type>(all ^ (all >> 1));
  static constexpr int top_bit = 8 * static_cast<int>(sizeof(T)) - 1;
  static constexpr bool is_signed = FloatingElement<T> || std::signed_integral<T>;
  /// The bits of infinity: larger magnitudes are NaN.
  static constexpr type infinity = [] {
    if constexpr (std::same_as<T, float16>) return type{0x7c00};
    else if constexpr (std::same_as<T, bfloat16>) return type{0x7f80};
    else if constexpr (std::same_as<T, float>) return type{0x7f800000};
    else if constexpr (std::same_as<T, double>) return type{0x7ff0000000000000};
    else return type{0};
  }();

  [[nodiscard]] static constexpr type bits_of(T element) {
    if constexpr (std::same_as<T, bool>) return element ? 1 : 0;
    else return std::bit_cast<type>(element);
  }

  /// The key for ascending order, or for descending order.
  [[nodiscard]] static constexpr type encode(T element, bool descending) {
    type key = bits_of(element);
    const type turn = descending ? all : type{0};
    if constexpr (FloatingElement<T>) {
      // without branches: the sign of an element is unpredictable
      const type magnitude = static_cast<type>(key & ~sign);
      key = magnitude == 0 ? type{0} : key;
      const type negative = static_cast<type>(0 - (key >> top_bit));
      key = static_cast<type>(key ^ (negative | sign) ^ turn);
      return magnitude > infinity ? all : key;
    } else {
      return static_cast<type>(key ^ (is_signed ? sign : type{0}) ^ turn);
    }
  }

  /// The element of a key: 0 for both zeros and some NaN for every NaN.
  [[nodiscard]] static constexpr T decode(type key, bool descending) {
    if constexpr (std::same_as<T, bool>) {
      return (descending ? static_cast<type>(~key) : key) != 0;
    } else {
      const type turned = static_cast<type>(key ^ (descending ? all : type{0}));
      if constexpr (FloatingElement<T>) {
        const type negative = static_cast<type>((turned >> top_bit) - 1);  // all ones for an element below 0
        return std::bit_cast<T>(key == all ? all : static_cast<type>(turned ^ (negative | sign)));
      } else {
        return std::bit_cast<T>(static_cast<type>(turned ^ (is_signed ? sign : type{0})));
      }
    }
  }

  /// Whether `decode(encode(element))` is another element: for the zeros and NaN.
  [[nodiscard]] static constexpr bool is_ambiguous(T element) {
    if constexpr (FloatingElement<T>) {
      const type magnitude = static_cast<type>(bits_of(element) & ~sign);
      return magnitude == 0 || magnitude > infinity;
    } else {
      return false;
    }
  }
};

}  // namespace situ::internal

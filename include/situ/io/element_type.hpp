// SPDX-License-Identifier: Apache-2.0
// Element types as run-time values, as files contain them.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <situ/core/complex_lane.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/float8.hpp>

namespace situ {

/// The type of a tensor's elements, known only at run time.
enum class ElementType : std::uint8_t {
  float32,
  float64,
  float16,
  bfloat16,
  int64,
  int32,
  uint8,
  boolean,
  int8,
  int16,
  uint16,
  uint32,
  uint64,
  float8_e4m3fn,
  float8_e5m2,
  complex64,
  complex128
};

/// All of them.
inline constexpr std::array every_element_type{
    ElementType::float32,    ElementType::float64,       ElementType::float16,     ElementType::bfloat16,
    ElementType::int64,      ElementType::int32,         ElementType::uint8,       ElementType::boolean,
    ElementType::int8,       ElementType::int16,         ElementType::uint16,      ElementType::uint32,
    ElementType::uint64,     ElementType::float8_e4m3fn, ElementType::float8_e5m2, ElementType::complex64,
    ElementType::complex128,
};

/// The value for elements `T`: `element_type<float>() == ElementType::float32`.
template <Element T>
[[nodiscard]] constexpr ElementType element_type() noexcept {
  if constexpr (std::same_as<T, float>) return ElementType::float32;
  else if constexpr (std::same_as<T, double>) return ElementType::float64;
  else if constexpr (std::same_as<T, float16>) return ElementType::float16;
  else if constexpr (std::same_as<T, bfloat16>) return ElementType::bfloat16;
  else if constexpr (std::same_as<T, std::int64_t>) return ElementType::int64;
  else if constexpr (std::same_as<T, std::int32_t>) return ElementType::int32;
  else if constexpr (std::same_as<T, std::uint8_t>) return ElementType::uint8;
  else if constexpr (std::same_as<T, std::int8_t>) return ElementType::int8;
  else if constexpr (std::same_as<T, std::int16_t>) return ElementType::int16;
  else if constexpr (std::same_as<T, std::uint16_t>) return ElementType::uint16;
  else if constexpr (std::same_as<T, std::uint32_t>) return ElementType::uint32;
  else if constexpr (std::same_as<T, std::uint64_t>) return ElementType::uint64;
  else if constexpr (std::same_as<T, float8_e4m3fn>) return ElementType::float8_e4m3fn;
  else if constexpr (std::same_as<T, float8_e5m2>) return ElementType::float8_e5m2;
  else if constexpr (ComplexElement<T>) return sizeof(T) == 8 ? ElementType::complex64 : ElementType::complex128;
  else return ElementType::boolean;
}

/// Calls `f(std::type_identity<T>())` for the type `T` that `type` denotes.
template <class F>
constexpr decltype(auto) visit_element_type(ElementType type, F&& f) {
  switch (type) {
    case ElementType::float32:
      return f(std::type_identity<float>());
    case ElementType::float64:
      return f(std::type_identity<double>());
    case ElementType::float16:
      return f(std::type_identity<float16>());
    case ElementType::bfloat16:
      return f(std::type_identity<bfloat16>());
    case ElementType::int64:
      return f(std::type_identity<std::int64_t>());
    case ElementType::int32:
      return f(std::type_identity<std::int32_t>());
    case ElementType::uint8:
      return f(std::type_identity<std::uint8_t>());
    case ElementType::int8:
      return f(std::type_identity<std::int8_t>());
    case ElementType::int16:
      return f(std::type_identity<std::int16_t>());
    case ElementType::uint16:
      return f(std::type_identity<std::uint16_t>());
    case ElementType::uint32:
      return f(std::type_identity<std::uint32_t>());
    case ElementType::uint64:
      return f(std::type_identity<std::uint64_t>());
    case ElementType::float8_e4m3fn:
      return f(std::type_identity<float8_e4m3fn>());
    case ElementType::float8_e5m2:
      return f(std::type_identity<float8_e5m2>());
    case ElementType::complex64:
      return f(std::type_identity<std::complex<float>>());
    case ElementType::complex128:
      return f(std::type_identity<std::complex<double>>());
    case ElementType::boolean:
      break;
  }
  return f(std::type_identity<bool>());
}

/// The name as NumPy and PyTorch spell it: `"float32"`.
[[nodiscard]] constexpr std::string_view dtype_name(ElementType type) noexcept {
  return visit_element_type(type, []<class T>(std::type_identity<T>) { return dtype_name<T>(); });
}

/// Bytes of an element.
[[nodiscard]] constexpr std::size_t element_size(ElementType type) noexcept {
  return visit_element_type(type, []<class T>(std::type_identity<T>) { return sizeof(T); });
}

}  // namespace situ

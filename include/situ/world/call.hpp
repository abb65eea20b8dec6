// SPDX-License-Identifier: Apache-2.0
// What a collective is, as its ranks must agree on it and as messages name it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/at_site.hpp>

namespace situ {

namespace internal::world {

/// What every rank of a group must call alike.
struct Call {
  std::string operation;  // "all_reduce<sum>"
  std::string layout;     // of what it is given; may be empty
  std::string_view elements;
  Shape shape;  // of the whole
  CallSite site;
  std::string scope = NamedScope::path();

  Call(std::string what, std::string_view of, std::string_view dtype, const Shape& extents,
       CallSite at = current_site())
      : operation(std::move(what)), layout(of), elements(dtype), shape(extents), site(at) {}

  /// The bytes of the whole: what goes between the ranks is some part or multiple of it.
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t bits = 0;  // "float32", "bool"
    for (const char c : elements) bits = c >= '0' && c <= '9' ? bits * 10 + static_cast<std::size_t>(c - '0') : 0;
    return elements.empty() ? 0 : static_cast<std::size_t>(shape.count()) * (bits == 0 ? 1 : bits / 8);
  }

  /// "all_reduce<sum> of Partial<sum> float32 (4, 3) at train.cpp:12, in backward".
  [[nodiscard]] std::string text() const {
    std::string text = operation;
    if (!elements.empty()) {
      text.append(" of ").append(layout).append(layout.empty() ? "" : " ").append(elements).append(" ");
      text += shape.to_string();
    }
    if (site.file != nullptr) text.append(" at ").append(site.file).append(":") += std::to_string(site.line);
    if (!scope.empty()) text += ", in " + scope;
    return text;
  }
};

/// FNV-1a, of 64 bits.
[[nodiscard]] constexpr std::uint64_t hash_of(std::string_view text,
                                              std::uint64_t from = 0xcbf29ce484222325u) noexcept {
  for (const char c : text) from = (from ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return from;
}

}  // namespace internal::world

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// The description of a collective that its ranks must agree on and that messages print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/at_site.hpp>

namespace situ {

namespace internal::world {

/// One step of a hash over 8 bytes at a time: every collective computes it.
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) noexcept {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t hash, std::string_view text) noexcept {
  hash = mixed(hash, text.size());
  std::uint64_t word = 0;
  for (; text.size() >= sizeof(word); text.remove_prefix(sizeof(word))) {
    std::memcpy(&word, text.data(), sizeof(word));
    hash = mixed(hash, word);
  }
  word = 0;
  if (!text.empty()) std::memcpy(&word, text.data(), text.size());
  return mixed(hash, word);
}

/// A call that must be the same on every rank of a group.
struct Call {
  std::string operation;  // "all_reduce<sum>"
  std::string layout;     // of the argument; may be empty
  std::string_view elements;
  Shape shape;               // of the whole
  std::optional<Shape> own;  // of this rank's part, where ranks may differ: printed, not compared
  CallSite site;
  std::string scope = NamedScope::path();

  Call(std::string what, std::string_view of, std::string_view dtype, const Shape& extents,
       CallSite at = current_site())
      : operation(std::move(what)), layout(of), elements(dtype), shape(extents), site(at) {}

  /// The bytes of the whole value: ranks exchange a part or a multiple of this.
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t bits = 0;  // "float32", "bool"
    for (const char c : elements) bits = c >= '0' && c <= '9' ? bits * 10 + static_cast<std::size_t>(c - '0') : 0;
    return elements.empty() ? 0 : static_cast<std::size_t>(shape.count()) * (bits == 0 ? 1 : bits / 8);
  }

  /// The hash of everything that is compared, and of the number of the call.
  [[nodiscard]] std::uint64_t hash(std::int64_t number) const noexcept {
    std::uint64_t hash = mixed(0xcbf29ce484222325u, static_cast<std::uint64_t>(number));
    const std::string_view file = site.file == nullptr ? "" : site.file;
    for (const std::string_view part :
         {std::string_view(operation), std::string_view(layout), elements, file, std::string_view(scope)})
      hash = mixed(hash, part);
    hash = mixed(hash, static_cast<std::uint64_t>(site.line));
    for (const std::int64_t extent : shape) hash = mixed(hash, static_cast<std::uint64_t>(extent));
    return mixed(hash, static_cast<std::uint64_t>(shape.rank()));
  }

  /// "all_reduce<sum> of Partial<sum> float32 (4, 3) at train.cpp:12, in backward".
  [[nodiscard]] std::string text() const {
    std::string text = operation;
    if (!elements.empty()) {
      text.append(" of ").append(layout).append(layout.empty() ? "" : " ").append(elements).append(" ");
      text += own.value_or(shape).to_string();
    }
    if (site.file != nullptr) text.append(" at ").append(site.file).append(":") += std::to_string(site.line);
    if (!scope.empty()) text += ", in " + scope;
    return text;
  }
};

/// FNV-1a with 64 bits.
[[nodiscard]] constexpr std::uint64_t hash_of(std::string_view text,
                                              std::uint64_t from = 0xcbf29ce484222325u) noexcept {
  for (const char c : text) from = (from ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return from;
}

}  // namespace internal::world

}  // namespace situ

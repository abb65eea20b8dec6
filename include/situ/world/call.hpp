// SPDX-License-Identifier: Apache-2.0
// What a collective is, as its ranks must agree on it and as messages name it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <situ/core/shape.hpp>

namespace situ {

/// A place in the program; a default argument that is `CallSite::here()` is the place of the call.
struct CallSite {
  const char* file = nullptr;
  int line = 0;

  [[nodiscard]] static constexpr CallSite here(const char* file = __builtin_FILE(),
                                               int line = __builtin_LINE()) noexcept {
    return {file, line};
  }
};

namespace internal::world {

/// The names of the scopes of this thread, the outermost first.
inline std::vector<std::string_view>& scopes() {
  thread_local std::vector<std::string_view> names;
  return names;
}

/// Where the collective of this thread was called that has no room for the place in its signature.
inline CallSite& current_site() {
  thread_local CallSite site;
  return site;
}
class AtSite {
 public:
  explicit AtSite(CallSite site) : before_(std::exchange(current_site(), site)) {}
  AtSite(const AtSite&) = delete;
  AtSite& operator=(const AtSite&) = delete;
  ~AtSite() { current_site() = before_; }

 private:
  CallSite before_;
};

/// What every rank of a group must call alike.
struct Call {
  std::string operation;  // "all_reduce<sum>"
  std::string layout;     // of what it is given; may be empty
  std::string_view elements;
  Shape shape;  // of the whole
  CallSite site;
  std::string scope;

  Call(std::string what, std::string_view of, std::string_view dtype, const Shape& extents,
       CallSite at = current_site())
      : operation(std::move(what)), layout(of), elements(dtype), shape(extents), site(at) {
    for (const std::string_view name : scopes()) scope.append(scope.empty() ? "" : "/").append(name);
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

/// Names a part of the program in the messages of the collectives that are called while it lives, where their
/// signatures have no room for the place of the call (operators, gradients). All ranks must be in the scopes of the
/// same names.
///
///     const CollectiveScope scope("layer 3");
class CollectiveScope {
 public:
  /// `name` must outlive the scope, as a string literal does.
  explicit CollectiveScope(std::string_view name) { internal::world::scopes().push_back(name); }
  CollectiveScope(const CollectiveScope&) = delete;
  CollectiveScope& operator=(const CollectiveScope&) = delete;
  ~CollectiveScope() { internal::world::scopes().pop_back(); }
};

}  // namespace situ

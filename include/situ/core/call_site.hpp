// SPDX-License-Identifier: Apache-2.0
// Source locations of calls: `CallSite`, and `NamedScope` for calls whose signatures have no room for one.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>

namespace situ {

/// A source location. `CallSite::here()` as a default argument is the location of the call.
struct CallSite {
  const char* file = nullptr;
  int line = 0;

  /// The location of this call; as a default argument, that of the call that omits the argument.
  [[nodiscard]] static constexpr CallSite here(const char* file = __builtin_FILE(),
                                               int line = __builtin_LINE()) noexcept {
    return {file, line};
  }
};

namespace internal {

/// The location if it is in the user's program; an empty one if it is in the library's own headers, which would mean
/// nothing to a user.
[[nodiscard]] constexpr CallSite in_program(CallSite site) noexcept {
  constexpr std::string_view here = CallSite::here().file;
  constexpr std::string_view name = "core/call_site.hpp";  // except in an amalgamated header, the whole library
  constexpr std::string_view headers = here.ends_with(name) ? here.substr(0, here.size() - name.size()) : here;
  if (site.file == nullptr || std::string_view(site.file).starts_with(headers)) return {"", 0};
  return site;
}

/// Replaces `CallSite` where nothing would read it.
struct NoCallSite {
  [[nodiscard]] static constexpr NoCallSite here() noexcept { return {}; }
};
/// The location of a statement that evaluates an expression, which `NumberCheck` reports in checked builds. In other
/// builds the argument is empty and costs nothing.
using EvaluationSite = std::conditional_t<checked_build, CallSite, NoCallSite>;

}  // namespace internal

/// Names a part of the program. The name appears in reports of `MovementLedger` and in messages of collectives, for
/// calls made while the scope is alive whose signatures have no room for a location (operators, gradients, packs).
/// Scopes nest within a thread. All ranks of a `World` must be in scopes of the same names.
///
///     const NamedScope scope("layer 3");
class [[nodiscard]] NamedScope {
 public:
  /// `name` must outlive the scope, as a string literal does.
  [[nodiscard]] explicit NamedScope(std::string_view name) noexcept
      : name_(name), outer_(std::exchange(innermost_, this)) {}
  NamedScope(const NamedScope&) = delete;
  NamedScope& operator=(const NamedScope&) = delete;
  ~NamedScope() { innermost_ = outer_; }

  /// The names of the scopes that this thread is in, outermost first: "step/forward".
  [[nodiscard]] static std::string path() { return path_of(innermost_); }

 private:
  [[nodiscard]] static std::string path_of(const NamedScope* scope) {
    if (scope == nullptr) return {};
    std::string path = path_of(scope->outer_);
    path.append(path.empty() ? "" : "/").append(scope->name_);
    return path;
  }

  static inline constinit thread_local const NamedScope* innermost_ = nullptr;

  std::string_view name_;
  const NamedScope* outer_;
};

}  // namespace situ

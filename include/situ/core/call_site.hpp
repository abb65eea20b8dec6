// SPDX-License-Identifier: Apache-2.0
// Where in the program a call stands: `CallSite`, and for calls without room for one `NamedScope`.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>

namespace situ {

/// A place in the program; a default argument that is `CallSite::here()` is the place of the call.
struct CallSite {
  const char* file = nullptr;
  int line = 0;

  /// The place where it is called; as a default argument, that of the call which leaves the argument out.
  [[nodiscard]] static constexpr CallSite here(const char* file = __builtin_FILE(),
                                               int line = __builtin_LINE()) noexcept {
    return {file, line};
  }
};

namespace internal {

/// The place of a line of the program; nowhere for what stands in the library's own headers, which means nothing to a
/// user.
[[nodiscard]] constexpr CallSite in_program(CallSite site) noexcept {
  constexpr std::string_view here = CallSite::here().file;
  constexpr std::string_view name = "core/call_site.hpp";  // but in an amalgamated header, which is all of the library
  constexpr std::string_view headers = here.ends_with(name) ? here.substr(0, here.size() - name.size()) : here;
  if (site.file == nullptr || std::string_view(site.file).starts_with(headers)) return {"", 0};
  return site;
}

/// In place of a `CallSite`, where nobody would read it.
struct NoCallSite {
  [[nodiscard]] static constexpr NoCallSite here() noexcept { return {}; }
};
/// Where a statement stands that evaluates an expression: what a `NumberCheck` names, in builds where it looks. In the
/// others the argument is empty, and costs nothing.
using EvaluationSite = std::conditional_t<checked_build, CallSite, NoCallSite>;

}  // namespace internal

/// Names a part of the program: in what `MovementLedger` reports, and in the messages of collectives, of the calls that
/// are made while it lives and whose signatures have no room for their place (operators, gradients, packs). Scopes of a
/// thread nest. All ranks of a `World` must be in the scopes of the same names.
///
///     const NamedScope scope("layer 3");
class [[nodiscard]] NamedScope {
 public:
  /// `name` must outlive the scope, as a string literal does.
  explicit NamedScope(std::string_view name) noexcept : name_(name), outer_(std::exchange(innermost_, this)) {}
  NamedScope(const NamedScope&) = delete;
  NamedScope& operator=(const NamedScope&) = delete;
  ~NamedScope() { innermost_ = outer_; }

  /// The names of the scopes that this thread is in, the outermost first: "step/forward".
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

// SPDX-License-Identifier: Apache-2.0
// Where in the program a call stands: `CallSite`, and for calls without room for one `NamedScope`.
#pragma once

#include <string>
#include <string_view>
#include <utility>

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

// SPDX-License-Identifier: Apache-2.0
// `NumberCheck`: in checked builds, which operation made the first NaN, of which operands.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/config.hpp>

namespace situ {

/// What a `NumberCheck` looks for.
struct NumberCheckOptions {
  /// Infinities too, made of operands that are finite.
  bool infinity = false;
};

namespace internal::numbers {

enum class Wanted : unsigned char { nothing, nan, nan_and_infinity };
inline thread_local Wanted wanted = Wanted::nothing;

/// While it lives, this thread evaluates for a statement there; within what the library evaluates for it, too.
template <class Site>
class Statement {
 public:
  explicit Statement(Site site) noexcept : before_(at_) {
    if (const Site place = in_program(site); place.line != 0) at_ = place;
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { at_ = before_; }

  /// ", evaluated at model.cpp:33"; nothing where no statement could tell.
  [[nodiscard]] static std::string text() {
    if (at_.line == 0) return {};
    const std::string_view file = at_.file;
    return ", evaluated at " + std::string(file.substr(file.find_last_of('/') + 1)) + ":" + std::to_string(at_.line);
  }

 private:
  static inline thread_local Site at_{};

  Site before_;
};
/// Where nothing is looked at.
template <>
class Statement<NoCallSite> {
 public:
  explicit constexpr Statement(NoCallSite) noexcept {}
  [[nodiscard]] static std::string text() { return {}; }
};

}  // namespace internal::numbers

/// While it lives, an operation of this thread that makes a NaN of operands that have none throws `FloatingPointError`,
/// which says what was computed of what: "log(-1.5) is nan, at (2, 0) of shape (3, 4), on cpu". NumPy's
/// `errstate(invalid="raise")`, for every device. What an expression computes and does not use, as `log` in
/// `where(x > 0, log(x), 0)`, is no mistake. The place of the statement is said where one evaluates by a call: a tensor
/// or a variable made of an expression, and `eval`; else the `NamedScope`s around it.
///
///     NumberCheck check;
///     Tensor y = log(x - 1);      // throws here, and not when the loss is NaN
///
/// Looks in builds with `SITU_CHECKED` only, and is free in others (`NumberCheck::looks` tells them apart). Each
/// operation then takes several times as long, and one on a GPU is waited for; what a graph captures is not looked at.
/// An operation in place that throws has written what it computed.
class [[nodiscard]] NumberCheck {
 public:
  static constexpr bool looks = checked_build;

  explicit NumberCheck([[maybe_unused]] const NumberCheckOptions& options = {}) noexcept
      : before_(std::exchange(internal::numbers::wanted, options.infinity
                                                             ? internal::numbers::Wanted::nan_and_infinity
                                                             : internal::numbers::Wanted::nan)) {}
  NumberCheck(const NumberCheck&) = delete;
  NumberCheck& operator=(const NumberCheck&) = delete;
  ~NumberCheck() { internal::numbers::wanted = before_; }

 private:
  internal::numbers::Wanted before_;
};

}  // namespace situ

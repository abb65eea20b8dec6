// SPDX-License-Identifier: Apache-2.0
// `NumberCheck`: in checked builds, finds the operation that made the first NaN, and its operands.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/config.hpp>

namespace situ {

/// Settings of `NumberCheck`.
struct NumberCheckOptions {
  /// Also finds infinities computed from finite operands.
  bool infinity = false;
};

namespace internal::numbers {

enum class Wanted : unsigned char { nothing, nan, nan_and_infinity };
inline thread_local Wanted wanted = Wanted::nothing;

/// While it lives, this thread evaluates for a statement at this place, also within the library's own evaluations.
template <class Site>
class Statement {
 public:
  explicit Statement(Site site) noexcept : before_(at_) {
    if (const Site place = in_program(site); place.line != 0) at_ = place;
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { at_ = before_; }

  /// ", evaluated at model.cpp:33"; empty if no statement has a place.
  [[nodiscard]] static std::string text() {
    if (at_.line == 0) return {};
    const std::string_view file = at_.file;
    return ", evaluated at " + std::string(file.substr(file.find_last_of('/') + 1)) + ":" + std::to_string(at_.line);
  }

 private:
  static inline thread_local Site at_{};

  Site before_;
};
/// For builds without checks.
template <>
class Statement<NoCallSite> {
 public:
  explicit constexpr Statement(NoCallSite) noexcept {}
  [[nodiscard]] static std::string text() { return {}; }
};

/// Whether a kernel makes no numbers, but copies those of its operands, or one that the caller gives.
template <class Operation>
inline constexpr bool makes_none = false;

}  // namespace internal::numbers

/// While it lives, an operation of this thread that makes a NaN from operands without one throws `FloatingPointError`,
/// which names the call and its operands: "log(-1.5) is nan, at (2, 0) of shape (3, 4), on cpu". NumPy's
/// `errstate(invalid="raise")`, for every device. Values that an expression computes and does not use, as `log` in
/// `where(x > 0, log(x), 0)`, do not count. The message has the place of the statement if a call evaluates: a tensor or
/// a variable made from an expression, and `eval`; otherwise the surrounding `NamedScope`s.
///
///     NumberCheck check;
///     Tensor y = log(x - 1);      // throws here, and not when the loss is NaN
///
/// Works only in builds with `SITU_CHECKED`, and is free in others (`NumberCheck::looks` tells them apart). Each
/// operation then takes several times as long, and the host waits for one on a GPU; work that a graph captures is not
/// checked. An operation in place that throws has already written its result.
class [[nodiscard]] NumberCheck {
 public:
  static constexpr bool looks = checked_build;

  [[nodiscard]] explicit NumberCheck([[maybe_unused]] const NumberCheckOptions& options = {}) noexcept
      : before_(std::exchange(internal::numbers::wanted, options.infinity ? internal::numbers::Wanted::nan_and_infinity
                                                                          : internal::numbers::Wanted::nan)) {}
  NumberCheck(const NumberCheck&) = delete;
  NumberCheck& operator=(const NumberCheck&) = delete;
  ~NumberCheck() { internal::numbers::wanted = before_; }

 private:
  internal::numbers::Wanted before_;
};

}  // namespace situ

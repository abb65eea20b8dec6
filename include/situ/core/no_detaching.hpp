// SPDX-License-Identifier: Apache-2.0
// `NoDetaching`: in its scope, a write that would first copy all elements is an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/error.hpp>

namespace situ {

/// A write in the scope of a `NoDetaching` would have copied the tensor first; nothing was written.
class DetachingRefused : public Error {
 public:
  DetachingRefused(const std::string& message, CallSite scope, std::size_t bytes)
      : Error(message), scope_(scope), bytes_(bytes) {}

  /// Where the `NoDetaching` was made.
  [[nodiscard]] CallSite scope() const noexcept { return scope_; }
  /// The bytes that would have been copied.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  CallSite scope_;
  std::size_t bytes_;
};

/// While the object lives, a write of the calling thread to a part of a tensor, or through a lease, throws
/// `DetachingRefused` if it would copy all elements first, since a view, another tensor or an expression that is kept
/// shares them: the write `MemoryStats::detaching_copies` counts. An assignment to a whole tensor copies nothing, and is
/// allowed. Scopes nest. Destroy it in the thread that made it.
///
///     const NoDetaching scope;
///     for (int t = 1; t < steps; ++t) h.at(t, all) = 0.9f * h(t - 1, all) + x(t, all);   // in place, each step
class [[nodiscard]] NoDetaching {
 public:
  explicit NoDetaching(CallSite site = CallSite::here()) noexcept
      : site_(site), outer_(std::exchange(innermost_, this)) {}
  NoDetaching(const NoDetaching&) = delete;
  NoDetaching& operator=(const NoDetaching&) = delete;
  ~NoDetaching() { innermost_ = outer_; }

  /// For the library: throws in a scope. `others` counts the other handles of the elements, 0 if the copy has another
  /// reason.
  static void check(std::size_t bytes, std::int64_t others) {
    if (innermost_ != nullptr) [[unlikely]]
      innermost_->refuse(bytes, others);
  }

 private:
  [[noreturn, gnu::cold, gnu::noinline]] void refuse(std::size_t bytes, std::int64_t others) const {
    std::string_view file = site_.file == nullptr ? std::string_view("a file") : std::string_view(site_.file);
    file.remove_prefix(file.find_last_of('/') + 1);
    const std::string why =
        others > 0
            ? "since " + std::to_string(others) + (others == 1 ? " other handle shares" : " other handles share") +
                  " its elements: end the view, tensor, expression or recorded gradient before the write, or let "
                  "it hold a copy, by copy_to"
            : std::string("since they cannot be written where they are: write to a copy, by copy_to");
    throw DetachingRefused("a write to a tensor would first copy its " + std::to_string(bytes) + " bytes, " + why +
                               ". (NoDetaching of " + std::string(file) + ":" + std::to_string(site_.line) +
                               " forbids it; nothing was written)",
                           site_, bytes);
  }

  static inline constinit thread_local const NoDetaching* innermost_ = nullptr;
  CallSite site_;
  const NoDetaching* outer_;
};

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// `ForeignStream`: a stream that another library made.
#pragma once

#include <concepts>
#include <cstdint>

#include <situ/core/error.hpp>

namespace situ {

/// A GPU stream of another library, in the convention of Python's `__dlpack__(stream=)`: CUDA's handle as a number, or
/// 1 for the legacy default stream, 2 for the thread's default stream, -1 for none. A `cudaStream_t` converts too; null
/// is the legacy default stream. Release elements that were exported to it or imported from it before it is destroyed.
class ForeignStream {
 public:
  /// None: the caller has ordered the work.
  constexpr ForeignStream() noexcept = default;
  /// Throws `ValueError` for 0, which libraries read in different ways, and for numbers below -1.
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
  constexpr ForeignStream(Integer number) : number_(static_cast<std::intptr_t>(number)) {
    if (number_ == 0 || number_ < -1) fail();
  }
  /// A `cudaStream_t`.
  template <class Native>
  ForeignStream(Native* handle) noexcept
      : number_(handle == nullptr ? legacy_default : reinterpret_cast<std::intptr_t>(handle)) {}

  /// Whether there is one.
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return number_ != -1; }
  /// Whether it is CUDA's legacy default stream, or that of the calling thread.
  [[nodiscard]] constexpr bool is_default() const noexcept { return number_ == legacy_default || is_of_thread(); }
  [[nodiscard]] constexpr bool is_of_thread() const noexcept { return number_ == 2; }
  [[nodiscard]] constexpr std::intptr_t number() const noexcept { return number_; }

 private:
  static constexpr std::intptr_t legacy_default = 1;

  [[noreturn]] static void fail() {
    throw ValueError(
        "ForeignStream: a stream is a handle of CUDA's, 1 for the legacy default stream, 2 for that of the thread, or "
        "-1 for none; 0 and other negative numbers mean nothing");
  }

  std::intptr_t number_ = -1;
};

}  // namespace situ

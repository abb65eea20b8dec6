// SPDX-License-Identifier: Apache-2.0
// What `operator new` gives in this program: counted, and made to fail on demand.
#pragma once

#include <cstdint>

namespace counted {

/// How many of the calling thread's next allocations succeed before they fail.
enum class Then { fail_once, fail_always };

/// Makes the calling thread's allocations fail after `count` of them, while it lives. What the emulated runtime itself
/// allocates is not of the library: it neither counts nor fails.
class [[nodiscard]] Failure {
 public:
  Failure(std::int64_t count, Then then) noexcept;
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;
  ~Failure();

  /// Whether an allocation has failed.
  [[nodiscard]] bool fired() const noexcept;
};

/// The objects that `operator new` has given and that were not deleted yet, of all threads.
[[nodiscard]] std::int64_t live() noexcept;

/// How often `operator new` has given memory to the calling thread.
[[nodiscard]] std::int64_t made() noexcept;

}  // namespace counted

// SPDX-License-Identifier: Apache-2.0
// Whether what is written is on the disk when the call returns: `NoFileSync`.
#pragma once

namespace situ {

namespace internal::io {

/// How many `NoFileSync` this thread has.
inline constinit thread_local int scopes_without_sync = 0;

}  // namespace internal::io

/// While it lives, what its thread saves is not waited for until it is on the disk. A file is still replaced whole, and
/// in one step, as other programs see it; but after a power failure, or a crash of the system, a file that was saved so
/// may be empty, the older one gone. For files that can be made anew, in great number, or on a slow disk.
///
///     const NoFileSync fast;
///     for (const auto& [name, x] : pictures) save_npy(folder / name, x);
class NoFileSync {
 public:
  [[nodiscard]] NoFileSync() noexcept { ++internal::io::scopes_without_sync; }
  NoFileSync(const NoFileSync&) = delete;
  NoFileSync& operator=(const NoFileSync&) = delete;
  ~NoFileSync() { --internal::io::scopes_without_sync; }
};

}  // namespace situ

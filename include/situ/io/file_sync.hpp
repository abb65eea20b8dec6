// SPDX-License-Identifier: Apache-2.0
// `NoFileSync`: do not wait until saved files are on disk.
#pragma once

namespace situ {

namespace internal::io {

/// The number of `NoFileSync` objects of this thread.
inline constinit thread_local int scopes_without_sync = 0;

}  // namespace internal::io

/// While it is alive, saves of its thread do not wait until the file is on disk. For other programs a file is still
/// replaced completely and in one step; but after a power failure or a system crash, a file saved this way may be
/// empty, and the older one gone. For files that can be regenerated, in great numbers, or on a slow disk.
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

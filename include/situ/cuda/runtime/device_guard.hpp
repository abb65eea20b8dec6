// SPDX-License-Identifier: Apache-2.0
// For the few CUDA calls that act on the current device: makes a GPU current, and restores the caller's.
#pragma once

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// While it is alive, a GPU (by its physical ordinal) is the calling thread's current device. The library always
/// restores the device that the program has set with cudaSetDevice.
///
/// Exception: if the previous device has no context, so that no one has set it, this GPU stays current. Restoring the
/// previous one, GPU 0 by default, would create a context on it, 500 MB in a program that does not use it.
class DeviceGuard {
 public:
  DeviceGuard(int physical, int ordinal) {
    check(api::get_device(&before_), "cudaGetDevice", ordinal);
    if (before_ == physical) return;
    check(api::set_device(physical), "cudaSetDevice", ordinal, "GPU ", physical);
    changed_ = true;
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard() {
    if (changed_ && api::has_context(before_)) ignore(api::set_device(before_));
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

namespace detail {
inline constinit thread_local bool has_chosen_device = false;
}

/// Before calls that may be a thread's first: nearly every runtime call creates a context on the thread's current
/// device, by default GPU 0, regardless of the call's stream. This sets a device that the program uses.
inline void choose_device(int physical, int ordinal) noexcept {
  if (detail::has_chosen_device) [[likely]]
    return;
  try {
    const DeviceGuard guard(physical, ordinal);
    detail::has_chosen_device = true;
  } catch (...) {  // then the call itself fails with the reason
  }
}

}  // namespace situ::internal::cuda

#endif

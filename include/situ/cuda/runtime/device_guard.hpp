// SPDX-License-Identifier: Apache-2.0
// For the few calls of CUDA that act on the current device: makes a GPU current, and the caller's again.
#pragma once

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// While it lives, a GPU (by its physical ordinal) is the calling thread's current device. What a program has set with
/// cudaSetDevice is its own business: the library never leaves it changed.
///
/// But where the device before has no context, so that nobody has set it, this one stays: making that current again,
/// which is GPU 0 by default, would put a context on it, 500 MB in a program that does not use it.
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

/// Before calls that may be a thread's first: nearly every call of the runtime puts a context on the thread's current
/// device, GPU 0 where it has none, whatever stream the call names. Here the thread gets one that the program uses.
inline void choose_device(int physical, int ordinal) noexcept {
  if (detail::has_chosen_device) [[likely]]
    return;
  try {
    const DeviceGuard guard(physical, ordinal);
    detail::has_chosen_device = true;
  } catch (...) {  // then the call itself fails, and says why
  }
}

}  // namespace situ::internal::cuda

#endif

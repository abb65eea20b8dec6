// SPDX-License-Identifier: Apache-2.0
// For the few calls of CUDA that act on the current device: makes a GPU current, and the caller's again.
#pragma once

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// While it lives, a GPU (by its physical ordinal) is the calling thread's current device. What a program does with its
/// current device is its own business: the library never leaves it changed.
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
    if (changed_) ignore(api::set_device(before_));
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

}  // namespace situ::internal::cuda

#endif

// SPDX-License-Identifier: Apache-2.0
// The choice between CUDA's two launch functions.
#pragma once

#include <cstdlib>
#include <string_view>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// The function that launches kernels. The driver's takes the context from the stream; the runtime's takes it from the
/// current device, which must be set before and restored after, 0.2 us a launch.
enum class LaunchPath { driver, runtime };

namespace detail {

/// The driver's, unless `SITU_LAUNCH=runtime` is set or the driver is older than CUDA 13: older ones require a context
/// of the stream's device to be current (https://github.com/NVIDIA/cccl/issues/6986).
[[nodiscard]] inline LaunchPath find_launch_path() noexcept {
  const char* const wish = std::getenv("SITU_LAUNCH");
  if (wish != nullptr && std::string_view(wish) == "runtime") return LaunchPath::runtime;
  int version = 0;
  const api::Error error = api::driver_version(&version);
  ignore(error);
  return error == api::success && version >= 13000 && api::has_driver_launch() ? LaunchPath::driver
                                                                               : LaunchPath::runtime;
}

}  // namespace detail

/// The launch function of this process.
[[nodiscard]] inline LaunchPath launch_path() noexcept {
  static const LaunchPath path = detail::find_launch_path();
  return path;
}

}  // namespace situ::internal::cuda

#endif

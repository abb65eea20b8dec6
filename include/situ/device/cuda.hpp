// SPDX-License-Identifier: Apache-2.0
// `Cuda<N>`: the memory of one GPU, by its ordinal. The type can be named in every build, so that placement errors are
// the same everywhere; asking a build without the CUDA backend for memory throws `DeviceUnavailable`.
#pragma once

#include <cstddef>
#include <string>

#include <situ/core/error.hpp>
#include <situ/cudart/backend.hpp>
#include <situ/device/device.hpp>

namespace situ {

namespace cuda {
/// The number of GPUs that this build can use.
[[nodiscard]] inline int device_count() noexcept { return 0; }

/// Why `device_count` is what it is, for error messages.
[[nodiscard]] inline std::string unavailable_reason() { return "this build has no CUDA backend"; }
}  // namespace cuda

/// The memory of GPU number `Ordinal`. Printed as `cuda:Ordinal`.
template <int Ordinal>
struct Cuda {
  static_assert(Ordinal >= 0, "a GPU's ordinal is 0 or more");

  using backend = cuda::Backend;
  static constexpr int ordinal = Ordinal;
  static constexpr bool host_accessible = false;

  [[nodiscard]] static std::string name() { return "cuda:" + std::to_string(Ordinal); }
  [[noreturn]] static void* allocate(std::size_t) { fail(); }
  static void deallocate(void*, std::size_t) noexcept {}

  /// Throws `DeviceUnavailable` with the number of GPUs found and the reason.
  [[noreturn]] static void fail() {
    const int found = cuda::device_count();
    throw DeviceUnavailable(name() + " is not available: " + std::to_string(found) +
                            (found == 1 ? " GPU found" : " GPUs found") + "; " + cuda::unavailable_reason() +
                            "; try_gpu<" + std::to_string(Ordinal) + ">() falls back to the CPU");
  }
};

static_assert(Device<Cuda<0>> && !HostDevice<Cuda<0>>, "Cuda<0> is a device whose memory the host cannot read");

}  // namespace situ

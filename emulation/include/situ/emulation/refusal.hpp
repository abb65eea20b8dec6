// SPDX-License-Identifier: Apache-2.0
// Refuses in the emulation what NVIDIA's libraries refuse.
#pragma once

#include <string>

#include <situ/core/error.hpp>
#include <situ/cuda/api/error.hpp>

#if defined(SITU_CUDA) && defined(SITU_CUDA_EMULATED)

namespace situ::internal::cuda::emulated {

/// Throws the error with which the library's call fails: its status, and the reason, which the library does not tell.
[[noreturn]] inline void refuse_call(const char* routine, const std::string& status, int ordinal,
                                     const std::string& why, bool context_lost = false) {
  throw CudaError(std::string(routine) + " failed on " + device_name(ordinal) + ": " + status + "; " + why, status,
                  context_lost);
}

}  // namespace situ::internal::cuda::emulated

#endif

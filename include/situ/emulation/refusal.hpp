// SPDX-License-Identifier: Apache-2.0
// What a library of NVIDIA's refuses, refused by the emulation of it.
#pragma once

#include <string>

#include <situ/core/error.hpp>
#include <situ/cuda/api/error.hpp>

#if defined(SITU_CUDA) && defined(SITU_CUDA_EMULATED)

namespace situ::internal::cuda::emulated {

/// Throws the error that a call of the library fails with: its status, and why, which the library does not say.
[[noreturn]] inline void refuse_call(const char* routine, const std::string& status, int ordinal,
                                     const std::string& why, bool context_lost = false) {
  throw CudaError(std::string(routine) + " failed on " + device_name(ordinal) + ": " + status + "; " + why, status,
                  context_lost);
}

}  // namespace situ::internal::cuda::emulated

#endif

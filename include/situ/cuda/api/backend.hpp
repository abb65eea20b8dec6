// SPDX-License-Identifier: Apache-2.0
// The tag of the CUDA backend: overload resolution finds kernels by it, and kernels find the GPU and the stream in it.
#pragma once

#include <situ/core/config.hpp>

namespace situ::internal::cuda {

/// A stream with the library's state for it; see stream.hpp.
struct StreamState;

/// Where an operation's work is queued: a GPU, by its logical ordinal, and one of its streams.
struct Backend {
#if defined(SITU_CUDA)
  static constexpr bool present = true;
#else
  static constexpr bool present = false;
#endif
  int ordinal = 0;
  StreamState* stream = nullptr;
};

}  // namespace situ::internal::cuda

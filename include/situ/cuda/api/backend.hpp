// SPDX-License-Identifier: Apache-2.0
// The tag of the CUDA backend: by it overload resolution finds the kernels, and they the GPU and the stream.
#pragma once

#include <situ/core/config.hpp>

namespace situ::internal::cuda {

/// A stream with what the library keeps about it; see stream.hpp.
struct StreamState;

/// Where the work of one operation goes: a GPU by its logical ordinal, and a stream of it.
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

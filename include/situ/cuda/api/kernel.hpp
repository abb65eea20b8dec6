// SPDX-License-Identifier: Apache-2.0
// The language that kernels are written in. A kernel is a trivially copyable struct:
//
//     template <class T>
//     struct Double {
//       static constexpr int threads = 256;             // of a block; a launch may have fewer (Grid)
//       static constexpr const char* name = "double";   // for messages
//       T* x;
//       std::int64_t count;
//       SITU_DEVICE void operator()() const {
//         const std::int64_t i = kernel::block() * threads + kernel::thread();
//         if (i < count) x[i] = x[i] + x[i];
//       }
//     };
//
// Its members are all the state it has: no device ordinal, so that all GPUs share it. It uses only the functions below
// from CUDA, which nvcc compiles for a GPU and the emulation runs as fibers on the host. Blocks are one-dimensional.
// Blocks are not ordered: they interact only through atomics, and must not wait for each other.
#pragma once

#include <type_traits>

#include <situ/cuda/api/vector.hpp>

#if defined(SITU_CUDA)
#if defined(SITU_CUDA_EMULATED)
#include <situ/emulation/kernel.hpp>
#else
#include <situ/cuda/api/real_kernel.hpp>
#endif

namespace situ::internal::cuda::kernel {

/// Converts a value that a thread has computed to the element that it stores.
template <class T, class C>
[[nodiscard]] SITU_DEVICE T stored(const C& value) {
  return computed(static_cast<T>(value));
}
/// The same for a value that it has only selected (the largest of some elements, a constant), which keeps its bits
/// unless it is converted.
template <class T, class C>
[[nodiscard]] SITU_DEVICE T chosen(const C& value) {
  if constexpr (std::is_same_v<T, C>) return value;
  else return stored<T>(value);
}

}  // namespace situ::internal::cuda::kernel
#endif

// SPDX-License-Identifier: Apache-2.0
// The part of the language of kernels that is the same everywhere: the annotation, and vectors of elements. See
// kernel.hpp.
#pragma once

#include <situ/core/config.hpp>

/// Marks a function that runs in a kernel only, and makes it `inline` (so that word does not stand beside it). On a GPU it is
/// always inlined: what a call passes would leave the registers.
#if defined(__CUDACC__) && defined(SITU_CUDA) && !defined(SITU_CUDA_EMULATED)
#define SITU_DEVICE __device__ __forceinline__
#else
#define SITU_DEVICE inline
#endif

namespace situ::internal::cuda::kernel {

inline constexpr int warp_size = 32;

/// `N` adjacent elements, moved by one instruction when they are 16 bytes: `*reinterpret_cast<const Vector<T, N>*>(p)`
/// for a `p` aligned to their size.
template <class T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) [[gnu::may_alias]] Vector {
  static_assert((N & (N - 1)) == 0);
  T element[std::size_t{N}];
};

}  // namespace situ::internal::cuda::kernel

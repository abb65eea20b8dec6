// SPDX-License-Identifier: Apache-2.0
// The part of the kernel language that is the same on GPUs and in the emulation: the annotation, and vectors of
// elements. See kernel.hpp.
#pragma once

#include <situ/core/config.hpp>

/// Marks a function that only runs in a kernel, and implies `inline` (so do not write that beside it). On a GPU it is
/// always inlined: the arguments of a call would not stay in registers.
#if defined(__CUDACC__) && defined(SITU_CUDA) && !defined(SITU_CUDA_EMULATED)
#define SITU_DEVICE __device__ __forceinline__
#else
#define SITU_DEVICE inline
#endif

namespace situ::internal::cuda::kernel {

inline constexpr int warp_size = 32;

/// Calls `f(i)` for `first`, `first + step` and so on below `end`: a loop that is never unrolled, for large bodies that
/// run a few times; unrolled, they would be most of a kernel and of its compile time. (In a plain `for` loop, nvcc
/// ignores the pragma if another loop is inside.)
template <class F>
[[SITU_INLINE]] constexpr void rolled(int first, int end, int step, const F& f) {
  if (first >= end) return;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  do f(first);
  while ((first += step) < end);
}
/// The same for `n / 2`, `n / 4`, ..., 1, for a power of two `n`.
template <class F>
[[SITU_INLINE]] constexpr void halving(int n, const F& f) {
  if (n < 2) return;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  do f(n /= 2);
  while (n > 1);
}

/// `Size` adjacent elements, moved by one instruction if they are 16 bytes: `*reinterpret_cast<const Vector<T,
/// Size>*>(p)` for a `p` aligned to their size.
template <class T, int Size>
struct alignas(sizeof(T) * Size < 16 ? sizeof(T) * Size : 16) [[gnu::may_alias]] Vector {
  static_assert((Size & (Size - 1)) == 0);
  T element[std::size_t{Size}];
};

}  // namespace situ::internal::cuda::kernel

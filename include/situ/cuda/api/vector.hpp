// SPDX-License-Identifier: Apache-2.0
// The part of the language of kernels that is the same everywhere: the annotation, and vectors of elements. See
// kernel.hpp.
#pragma once

#include <situ/core/config.hpp>

/// Marks a function that runs in a kernel only, and makes it `inline` (so that word does not stand beside it). On a GPU
/// it is always inlined: what a call passes would leave the registers.
#if defined(__CUDACC__) && defined(SITU_CUDA) && !defined(SITU_CUDA_EMULATED)
#define SITU_DEVICE __device__ __forceinline__
#else
#define SITU_DEVICE inline
#endif

namespace situ::internal::cuda::kernel {

inline constexpr int warp_size = 32;

/// Calls `f(i)` for `first`, `first + step` and so on below `end`: a loop that is never unrolled, for what is done a
/// few times, and would be most of a kernel and of the time to compile it if it stood there a few times. (Of a `for`
/// loop nvcc forgets the pragma when another loop stands in it.)
template <class F>
[[SITU_INLINE]] constexpr void rolled(int first, int end, int step, const F& f) {
  if (first >= end) return;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  do f(first);
  while ((first += step) < end);
}
/// The same for `n / 2`, `n / 4`, ..., 1, where `n` is a power of two.
template <class F>
[[SITU_INLINE]] constexpr void halving(int n, const F& f) {
  if (n < 2) return;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  do f(n /= 2);
  while (n > 1);
}

/// `Size` adjacent elements, moved by one instruction when they are 16 bytes:
/// `*reinterpret_cast<const Vector<T, Size>*>(p)` for a `p` aligned to their size.
template <class T, int Size>
struct alignas(sizeof(T) * Size < 16 ? sizeof(T) * Size : 16) [[gnu::may_alias]] Vector {
  static_assert((Size & (Size - 1)) == 0);
  T element[std::size_t{Size}];
};

}  // namespace situ::internal::cuda::kernel

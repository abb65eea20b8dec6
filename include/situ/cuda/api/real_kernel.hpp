// SPDX-License-Identifier: Apache-2.0
// `situ::internal::cuda::kernel` on a GPU. A file that nvcc does not compile sees only declarations: it may hold and
// move tensors, but never instantiates a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/cuda/api/vector.hpp>

namespace situ::internal::cuda::kernel {

#if defined(__CUDACC__)

/// The thread's position in its block, and the number of threads in a block.
__device__ inline int thread() { return static_cast<int>(threadIdx.x); }
__device__ inline int threads() { return static_cast<int>(blockDim.x); }
/// The block's position in the grid's first axis, of up to 2^31 - 1 blocks, and their number.
__device__ inline std::int64_t block() { return blockIdx.x; }
__device__ inline std::int64_t blocks() { return gridDim.x; }
/// The same along the second axis, of up to 65535.
__device__ inline int block_y() { return static_cast<int>(blockIdx.y); }
__device__ inline int blocks_y() { return static_cast<int>(gridDim.y); }

/// Calls `f(0)`, `f(1)`, ..., `f(Size - 1)`, always unrolled: an array indexed by a loop would not stay in registers.
template <int Size, class F>
__device__ __forceinline__ void unrolled(const F& f) {
  [&]<int... Index>(std::integer_sequence<int, Index...>) { (f(Index), ...); }(std::make_integer_sequence<int, Size>{});
}

/// A value that a thread has computed, before it is stored: for the emulation, whose NaNs have other bits until then.
template <class V>
__device__ __forceinline__ V computed(const V& value) {
  return value;
}

/// All threads of the block wait for each other, and see each other's writes.
__device__ inline void barrier() { __syncthreads(); }
/// Makes this thread's earlier writes visible to all blocks before its later ones.
__device__ inline void memory_fence() { __threadfence(); }
/// Writes to host memory: when the host sees this value, it also sees this thread's earlier writes.
template <class T>
__device__ inline void publish(T* place, T value) {
  __threadfence_system();
  *static_cast<volatile T*>(place) = value;
}

/// One uninitialized object for the whole block, in shared memory: the same for all calls with one type `S` in a
/// kernel. At most 48 KiB for all types of a kernel together.
template <class S>
__device__ inline S& block_shared() {
  static_assert(std::is_trivially_destructible_v<S>);
  __shared__ alignas(S) unsigned char memory[sizeof(S)];
  return *reinterpret_cast<S*>(memory);
}
/// The dynamic shared memory that the launch requested, aligned to 16 bytes.
__device__ inline std::byte* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char situ_dynamic_shared[];
  return reinterpret_cast<std::byte*>(situ_dynamic_shared);
}

// Warp functions: all 32 threads must call them. `T` has at most 8 bytes.
namespace detail {
template <class T>
using word_t = std::conditional_t<sizeof(T) <= 4, unsigned, unsigned long long>;
template <class T>
__device__ inline word_t<T> to_word(T value) {
  if constexpr (sizeof(T) == 2) return __builtin_bit_cast(unsigned short, value);
  else if constexpr (sizeof(T) == 1) return __builtin_bit_cast(unsigned char, value);
  else return __builtin_bit_cast(word_t<T>, value);
}
template <class T>
__device__ inline T from_word(word_t<T> word) {
  if constexpr (sizeof(T) == 2) return __builtin_bit_cast(T, static_cast<unsigned short>(word));
  else if constexpr (sizeof(T) == 1) return __builtin_bit_cast(T, static_cast<unsigned char>(word));
  else return __builtin_bit_cast(T, word);
}
inline constexpr unsigned whole_warp = 0xffffffffu;
}  // namespace detail

/// The value of the thread `delta` positions after this one; the last `delta` threads keep their own.
template <class T>
__device__ inline T shuffle_down(T value, int delta) {
  return detail::from_word<T>(
      __shfl_down_sync(detail::whole_warp, detail::to_word(value), static_cast<unsigned>(delta)));
}
/// The value of the thread `delta` positions before this one; the first `delta` threads keep their own.
template <class T>
__device__ inline T shuffle_up(T value, int delta) {
  return detail::from_word<T>(__shfl_up_sync(detail::whole_warp, detail::to_word(value), static_cast<unsigned>(delta)));
}
/// The value of the thread whose position in the warp differs by the bits of `mask`.
template <class T>
__device__ inline T shuffle_xor(T value, int mask) {
  return detail::from_word<T>(__shfl_xor_sync(detail::whole_warp, detail::to_word(value), mask));
}
/// The value of thread `lane` of the warp.
template <class T>
__device__ inline T shuffle(T value, int lane) {
  return detail::from_word<T>(__shfl_sync(detail::whole_warp, detail::to_word(value), lane));
}
/// Bit `i` is the condition of thread `i` of the warp.
__device__ inline std::uint32_t ballot(bool condition) { return __ballot_sync(detail::whole_warp, condition); }

// Atomics on integers in global or shared memory; each returns the old value. `T` is int32, uint32, int64 or uint64.
namespace detail {
template <class T>
__device__ inline word_t<T>* words(T* place) {
  return reinterpret_cast<word_t<T>*>(place);
}
}  // namespace detail
template <class T>
__device__ inline T atomic_add(T* place, T value) {
  return static_cast<T>(atomicAdd(detail::words(place), static_cast<detail::word_t<T>>(value)));
}
template <class T>
__device__ inline T atomic_exchange(T* place, T value) {
  return static_cast<T>(atomicExch(detail::words(place), static_cast<detail::word_t<T>>(value)));
}
/// Compare and swap: writes `value` if the old value is `expected`.
template <class T>
__device__ inline T atomic_compare_exchange(T* place, T expected, T value) {
  return static_cast<T>(
      atomicCAS(detail::words(place), static_cast<detail::word_t<T>>(expected), static_cast<detail::word_t<T>>(value)));
}
template <class T>
__device__ inline T atomic_max(T* place, T value) {
  using Word = std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int, unsigned>,
                                  std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>;
  return static_cast<T>(atomicMax(reinterpret_cast<Word*>(place), static_cast<Word>(value)));
}

#else

int thread();
int threads();
std::int64_t block();
std::int64_t blocks();
int block_y();
int blocks_y();
template <int Size, class F>
void unrolled(const F& f);
template <class V>
V computed(const V& value);
void barrier();
void memory_fence();
template <class T>
void publish(T* place, T value);
template <class S>
S& block_shared();
std::byte* dynamic_shared();
template <class T>
T shuffle_down(T value, int delta);
template <class T>
T shuffle_up(T value, int delta);
template <class T>
T shuffle_xor(T value, int mask);
template <class T>
T shuffle(T value, int lane);
std::uint32_t ballot(bool condition);
template <class T>
T atomic_add(T* place, T value);
template <class T>
T atomic_exchange(T* place, T value);
template <class T>
T atomic_compare_exchange(T* place, T expected, T value);
template <class T>
T atomic_max(T* place, T value);

#endif

}  // namespace situ::internal::cuda::kernel

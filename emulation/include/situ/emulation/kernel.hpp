// SPDX-License-Identifier: Apache-2.0
// `situ::internal::cuda::kernel` in the emulation; see ../kernel.hpp and block.hpp. Functions that wait record the
// location of their call, for messages and to find threads that wait for each other at different places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/cuda/api/vector.hpp>
#include <situ/emulation/blocks.hpp>
#include <situ/emulation/nan.hpp>

namespace situ::internal::cuda::kernel {

/// Calls `f(0)`, `f(1)`, ..., `f(Size - 1)`: in a loop, because unrolled code takes the host's compilers long.
template <int Size, class F>
void unrolled(const F& f) {
  for (int i = 0; i < Size; ++i) f(i);
}

namespace detail {
using emulated::Block;
/// Represents the type `S` of shared memory.
template <class S>
inline constinit char shared_tag = 0;

template <class T>
std::uint64_t to_word(T value) noexcept {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}
template <class T>
T from_word(std::uint64_t word) noexcept {
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}
/// The block that the calling thread belongs to.
[[SITU_INLINE]] inline Block& here() { return *emulated::relaxed(Block::current); }

/// An atomic operation, which may order blocks. (One host thread runs a whole launch: this matters only to
/// ThreadSanitizer.)
template <class T, class F>
T atomically(T* place, F f) {
  if constexpr (emulated::under_thread_sanitizer) {
    here().before_atomic(place);
    const T before = f(place);
    here().after_atomic(place);
    return before;
  } else {
    return f(place);
  }
}
}  // namespace detail

[[SITU_INLINE]] inline int thread() { return emulated::relaxed(detail::here().thread); }
inline int threads() { return detail::here().threads; }
inline std::int64_t block() { return emulated::relaxed(detail::here().block); }
inline std::int64_t blocks() { return detail::here().blocks; }
inline int block_y() { return emulated::relaxed(detail::here().block_y); }
inline int blocks_y() { return detail::here().blocks_y; }

inline void barrier(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  detail::here().barrier({"barrier", file, line});
}
inline void memory_fence() {
  if constexpr (emulated::under_thread_sanitizer) detail::here().fence();
}

template <class T>
void publish(T* place, T value) {
  __atomic_store_n(place, value, __ATOMIC_RELEASE);
}

template <class S>
S& block_shared() {
  static_assert(std::is_trivially_destructible_v<S>);
  return *static_cast<S*>(detail::here().shared(&detail::shared_tag<S>, sizeof(S), alignof(S)));
}
inline std::byte* dynamic_shared() { return static_cast<std::byte*>(detail::here().dynamic_shared()); }

template <class T>
T shuffle_down(T value, int delta, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const int source = thread() % warp_size + delta;
  const std::uint64_t* const words = detail::here().exchange(detail::to_word(value), {"shuffle_down", file, line});
  return source < warp_size ? detail::from_word<T>(words[source]) : value;
}
template <class T>
T shuffle_up(T value, int delta, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const int source = thread() % warp_size - delta;
  const std::uint64_t* const words = detail::here().exchange(detail::to_word(value), {"shuffle_up", file, line});
  return source >= 0 ? detail::from_word<T>(words[source]) : value;
}
template <class T>
T shuffle_xor(T value, int mask, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const int source = (thread() ^ mask) % warp_size;
  return detail::from_word<T>(detail::here().exchange(detail::to_word(value), {"shuffle_xor", file, line})[source]);
}
template <class T>
T shuffle(T value, int lane, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return detail::from_word<T>(
      detail::here().exchange(detail::to_word(value), {"shuffle", file, line})[lane % warp_size]);
}
inline std::uint32_t ballot(bool condition, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const std::uint64_t* const words = detail::here().exchange(condition ? 1 : 0, {"ballot", file, line});
  std::uint32_t bits = 0;
  for (int lane = 0; lane < warp_size; ++lane) bits |= static_cast<std::uint32_t>(words[lane]) << lane;
  return bits;
}

template <class T>
T atomic_add(T* place, T value) {
  using Bits = std::make_unsigned_t<T>;
  return detail::atomically(place, [value](T* at) {
    return static_cast<T>(__atomic_fetch_add(reinterpret_cast<Bits*>(at), static_cast<Bits>(value), __ATOMIC_RELAXED));
  });
}
template <class T>
T atomic_exchange(T* place, T value) {
  return detail::atomically(place, [value](T* at) { return __atomic_exchange_n(at, value, __ATOMIC_RELAXED); });
}
template <class T>
T atomic_compare_exchange(T* place, T expected, T value) {
  return detail::atomically(place, [expected, value](T* at) {
    T before = expected;
    __atomic_compare_exchange_n(at, &before, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return before;
  });
}
template <class T>
T atomic_max(T* place, T value) {
  return detail::atomically(place, [value](T* at) {
    T before = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (before < value &&
           !__atomic_compare_exchange_n(at, &before, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return before;
  });
}

}  // namespace situ::internal::cuda::kernel

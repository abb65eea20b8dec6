// SPDX-License-Identifier: Apache-2.0
// Non-temporal stores: a result larger than the cache is written past it, which saves the read of every line that a
// normal store begins with (1.3 to 1.9 times as fast for memory-bound passes).
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <situ/core/config.hpp>
#include <situ/cpu/intrinsics.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

inline constinit std::atomic<std::int64_t> large_output{0};  // 0: not queried yet

/// `SITU_LARGE_OUTPUT_BYTES` from the environment, otherwise the size of the last-level cache, at most 32 MiB, because
/// many cores may share it (32 MiB if the system does not know it).
inline std::int64_t default_large_output_bytes() noexcept {
  if (const char* text = std::getenv("SITU_LARGE_OUTPUT_BYTES"); text != nullptr) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
    if (error == std::errc{} && *end == '\0' && value > 0) return value;
  }
  constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  const std::int64_t cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#else
  const std::int64_t cache = 0;
#endif
  return cache > 0 ? std::clamp(cache, 4 * mebibyte, 32 * mebibyte) : 32 * mebibyte;
}

}  // namespace detail

/// Results of at least this many bytes are written with non-temporal stores. The default is the size of the last-level
/// cache; the environment variable `SITU_LARGE_OUTPUT_BYTES` or `set_large_output_bytes` change it.
[[nodiscard]] inline std::int64_t large_output_bytes() noexcept {
  std::int64_t bytes = detail::large_output.load(std::memory_order_relaxed);
  if (bytes == 0) {
    bytes = detail::default_large_output_bytes();
    detail::large_output.store(bytes, std::memory_order_relaxed);
  }
  return bytes;
}

/// Sets it for operations that begin from now on; 0 or less restores the default.
inline void set_large_output_bytes(std::int64_t bytes) noexcept {
  detail::large_output.store(bytes > 0 ? bytes : detail::default_large_output_bytes(), std::memory_order_relaxed);
}

namespace detail {

/// Copies a cache line, 64 bytes, to an aligned address, past the cache.
[[SITU_INLINE]] inline void stream_line(std::byte* to, const std::byte* from) noexcept {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__AVX__)
  const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32));
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), a);
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to + 32), b);
#elif defined(__SSE2__)
  for (int i = 0; i < 64; i += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
#else
  std::memcpy(to, from, 64);
#endif
}

}  // namespace detail

/// Copies `bytes` bytes, past the cache for whole 64-byte lines of `to`. For a source in the first-level cache, or one
/// that is read once. Other threads see the bytes after `stream_fence`.
inline void stream_copy(void* to, const void* from, std::size_t bytes) noexcept {
#if defined(__SSE2__)
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  const std::size_t head = std::min(bytes, (0 - reinterpret_cast<std::uintptr_t>(target)) & 63);
  if (head > 0) {
    std::memcpy(target, source, head);
    target += head;
    source += head;
    bytes -= head;
  }
  for (; bytes >= 64; bytes -= 64, target += 64, source += 64) detail::stream_line(target, source);
  if (bytes > 0) std::memcpy(target, source, bytes);
#else
  std::memcpy(to, from, bytes);
#endif
}

/// Makes this thread's streamed bytes visible to the others: once, after the last of a range.
inline void stream_fence() noexcept {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu

// SPDX-License-Identifier: Apache-2.0
// Annotations for AddressSanitizer and ThreadSanitizer. Without them, every function here is empty.
#pragma once

#include <cstddef>

#if defined(__has_include)
#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_include(<sanitizer/tsan_interface.h>)
#include <sanitizer/tsan_interface.h>
#endif
#endif

namespace situ::internal::cuda::emulated {

// The headers above define __has_feature as 0 if the compiler has none, so test it last.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_address_sanitizer = true;
inline constexpr bool under_thread_sanitizer = false;
#elif defined(__SANITIZE_THREAD__)
inline constexpr bool under_address_sanitizer = false;
inline constexpr bool under_thread_sanitizer = true;
#elif defined(__has_feature)
inline constexpr bool under_address_sanitizer = __has_feature(address_sanitizer);
inline constexpr bool under_thread_sanitizer = __has_feature(thread_sanitizer);
#else
inline constexpr bool under_address_sanitizer = false;
inline constexpr bool under_thread_sanitizer = false;
#endif

// --- AddressSanitizer: which bytes may be accessed, and changes of the stack -----------------------------------------
inline void poison([[maybe_unused]] const void* start, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(ASAN_POISON_MEMORY_REGION)
  ASAN_POISON_MEMORY_REGION(start, bytes);
#endif
}
inline void unpoison([[maybe_unused]] const void* start, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(ASAN_POISON_MEMORY_REGION)
  ASAN_UNPOISON_MEMORY_REGION(start, bytes);
#endif
}
/// How many of the bytes may be accessed, from the first on.
inline std::size_t usable_bytes([[maybe_unused]] const void* start, std::size_t bytes) noexcept {
#if defined(ASAN_POISON_MEMORY_REGION)
  if constexpr (under_address_sanitizer) {
    const void* const poisoned = __asan_region_is_poisoned(const_cast<void*>(start), bytes);
    if (poisoned != nullptr)
      return static_cast<std::size_t>(static_cast<const char*>(poisoned) - static_cast<const char*>(start));
  }
#endif
  return bytes;
}
/// Before the switch to a stack; `fake_stack` saves the state of the current one.
inline void before_stack_switch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* bottom,
                                [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(ASAN_POISON_MEMORY_REGION)
  if constexpr (under_address_sanitizer) __sanitizer_start_switch_fiber(fake_stack, bottom, bytes);
#endif
}
/// After the switch, on the new stack; returns the bounds of the previous one.
inline void after_stack_switch([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** bottom,
                               [[maybe_unused]] std::size_t* bytes) noexcept {
#if defined(ASAN_POISON_MEMORY_REGION)
  if constexpr (under_address_sanitizer) __sanitizer_finish_switch_fiber(fake_stack, bottom, bytes);
#endif
}

// --- ThreadSanitizer: each thread of a block is a thread to it, ordered only as on a GPU -----------------------------
// Inlined at -O0 too: ThreadSanitizer counts function entries and exits of each thread of a block, and a function
// entered in one and left in another would break both counts.
[[gnu::always_inline]] inline void* tsan_context() noexcept {
#if defined(SANITIZER_TSAN_INTERFACE_H)
  if constexpr (under_thread_sanitizer) return __tsan_get_current_fiber();
#endif
  return nullptr;
}
inline void* tsan_create() noexcept {
#if defined(SANITIZER_TSAN_INTERFACE_H)
  if constexpr (under_thread_sanitizer) return __tsan_create_fiber(0);
#endif
  return nullptr;
}
inline void tsan_destroy([[maybe_unused]] void* context) noexcept {
#if defined(SANITIZER_TSAN_INTERFACE_H)
  if constexpr (under_thread_sanitizer) __tsan_destroy_fiber(context);
#endif
}
[[gnu::always_inline]] inline void tsan_switch([[maybe_unused]] void* context) noexcept {
#if defined(SANITIZER_TSAN_INTERFACE_H)
  if constexpr (under_thread_sanitizer) __tsan_switch_to_fiber(context, __tsan_switch_to_fiber_no_sync);
#endif
}
/// A later call of `tsan_acquire` with the same address sees all earlier writes.
[[gnu::always_inline]] inline void tsan_release([[maybe_unused]] void* place) noexcept {
#if defined(SANITIZER_TSAN_INTERFACE_H)
  if constexpr (under_thread_sanitizer) __tsan_release(place);
#endif
}
[[gnu::always_inline]] inline void tsan_acquire([[maybe_unused]] void* place) noexcept {
#if defined(SANITIZER_TSAN_INTERFACE_H)
  if constexpr (under_thread_sanitizer) __tsan_acquire(place);
#endif
}

}  // namespace situ::internal::cuda::emulated

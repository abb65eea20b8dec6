// SPDX-License-Identifier: Apache-2.0
// Tells AddressSanitizer which bytes of a pool's blocks may be accessed. Without it these functions are empty.
#pragma once

#include <cstddef>

#include <situ/device/host_memory.hpp>

#if defined(__has_include)
#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#endif
#endif

namespace situ::internal::memory {

#if defined(ASAN_POISON_MEMORY_REGION)
/// Any access to these bytes is an error from now on.
inline void poison([[maybe_unused]] const void* start, [[maybe_unused]] std::size_t bytes) noexcept {
  ASAN_POISON_MEMORY_REGION(start, bytes);
}

/// These bytes may be accessed again.
inline void unpoison([[maybe_unused]] const void* start, [[maybe_unused]] std::size_t bytes) noexcept {
  ASAN_UNPOISON_MEMORY_REGION(start, bytes);
}
#else
static_assert(!under_address_sanitizer, "AddressSanitizer without <sanitizer/asan_interface.h>");
inline void poison(const void*, std::size_t) noexcept {}
inline void unpoison(const void*, std::size_t) noexcept {}
#endif

}  // namespace situ::internal::memory

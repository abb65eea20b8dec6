// SPDX-License-Identifier: Apache-2.0
// Host memory from the system, for the pools of the host devices.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace situ::internal::memory {

/// Whether AddressSanitizer is on: then all memory comes from `operator new`, whose bounds and leaks it tracks.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_address_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool under_address_sanitizer = true;
#else
inline constexpr bool under_address_sanitizer = false;
#endif
#else
inline constexpr bool under_address_sanitizer = false;
#endif

/// Blocks of at least this many bytes start on a huge page.
inline constexpr std::size_t huge_page = std::size_t{1} << 21;

namespace detail {

/// Fresh pages that start at a multiple of `huge_page`, backed by huge pages if the system can: the first touch then
/// costs a page fault for every 2 MiB instead of every 4 KiB (5 ms instead of 28 for 64 MiB). `operator new` was
/// rejected for these: it cuts large blocks out of a heap that it trims and faults in again.
inline void* map_pages(std::size_t bytes) noexcept {
  if (bytes > SIZE_MAX - huge_page) return nullptr;
  const std::size_t mapped = bytes + huge_page;
  void* const start = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  char* const first = static_cast<char*>(start);
  const std::size_t lead = (huge_page - reinterpret_cast<std::uintptr_t>(first) % huge_page) % huge_page;
  if (lead > 0) munmap(first, lead);
  munmap(first + lead + bytes, mapped - lead - bytes);
  madvise(first + lead, bytes, MADV_HUGEPAGE);  // advice: a system without huge pages may refuse it
  return first + lead;
}

/// The length mapped for `bytes`: whole small pages, so that the last few bytes do not take a huge page.
inline std::size_t mapped_length(std::size_t bytes) noexcept { return (bytes + 4095) / 4096 * 4096; }

inline bool uses_pages(std::size_t bytes) noexcept { return !under_address_sanitizer && bytes >= huge_page; }

}  // namespace detail

/// Uninitialized memory, aligned to 64 bytes, or to 2 MiB for blocks of 2 MiB and more; null if the system has none.
[[nodiscard]] inline void* allocate_host(std::size_t bytes) noexcept {
  // AddressSanitizer ends the program, instead of returning null, if asked for more than it can track.
  constexpr std::size_t most = under_address_sanitizer ? std::size_t{1} << 38 : PTRDIFF_MAX;
  if (bytes > most) return nullptr;
  if (detail::uses_pages(bytes)) return detail::map_pages(detail::mapped_length(bytes));
  return ::operator new(bytes, std::align_val_t{64}, std::nothrow);
}

/// Frees memory from `allocate_host(bytes)`.
inline void deallocate_host(void* pointer, std::size_t bytes) noexcept {
  if (detail::uses_pages(bytes)) munmap(pointer, detail::mapped_length(bytes));
  else ::operator delete(pointer, std::align_val_t{64});
}

}  // namespace situ::internal::memory

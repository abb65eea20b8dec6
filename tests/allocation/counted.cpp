// SPDX-License-Identifier: Apache-2.0
// Replaces every `operator new` and `operator delete` of the program. An object has a word in front of it that says
// whether it counts.
#include "counted.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <situ/emulation/control.hpp>

namespace {

constexpr std::int64_t none = -1;
constinit thread_local std::int64_t left = none;  // allocations that still succeed
constinit thread_local bool failed = false;
constinit thread_local counted::Then after = counted::Then::fail_once;
constinit thread_local std::int64_t made_here = 0;
constinit std::atomic<std::int64_t> objects{0};

/// Whether this allocation may be had.
bool granted() noexcept {
  if (left == none) return true;
  if (left > 0) {
    --left;
    return true;
  }
  failed = true;
  if (after == counted::Then::fail_once) left = none;
  return false;
}

/// Null where there is no memory.
void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  const bool counts = !situ::internal::cuda::emulated::detail::inside;
  if (counts && !granted()) return nullptr;
  const std::size_t front = std::max(alignment, alignof(std::max_align_t));
  const std::size_t all = (front + bytes + front - 1) / front * front;
  if (all < bytes) return nullptr;
  auto* const start = static_cast<std::byte*>(std::aligned_alloc(front, all));
  if (start == nullptr) return nullptr;
  ::new (start + front - sizeof(std::uint64_t)) std::uint64_t{counts ? 1U : 0U};
  if (counts) objects.fetch_add(1, std::memory_order_relaxed);
  made_here += counts ? 1 : 0;
  return start + front;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocate(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release(void* memory, std::size_t alignment) noexcept {
  if (memory == nullptr) return;
  auto* const at = static_cast<std::byte*>(memory);
  const auto* const counts = std::launder(reinterpret_cast<std::uint64_t*>(at - sizeof(std::uint64_t)));
  if (*counts != 0) objects.fetch_sub(1, std::memory_order_relaxed);
  std::free(at - std::max(alignment, alignof(std::max_align_t)));
}

constexpr std::size_t plain = alignof(std::max_align_t);
constexpr std::size_t of(std::align_val_t alignment) noexcept { return static_cast<std::size_t>(alignment); }

}  // namespace

namespace counted {

Failure::Failure(std::int64_t count, Then then) noexcept {
  failed = false;
  after = then;
  left = count;
}
Failure::~Failure() { left = none; }
bool Failure::fired() const noexcept { return failed; }

std::int64_t made() noexcept { return made_here; }
std::int64_t live() noexcept { return objects.load(std::memory_order_relaxed); }

}  // namespace counted

// All of them: one that is left to a sanitizer's runtime would not fit the others.
void* operator new(std::size_t n) { return allocate_or_throw(n, plain); }
void* operator new[](std::size_t n) { return allocate_or_throw(n, plain); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, plain); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, plain); }
void* operator new(std::size_t n, std::align_val_t a) { return allocate_or_throw(n, of(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return allocate_or_throw(n, of(a)); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return allocate(n, of(a)); }
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return allocate(n, of(a)); }
void operator delete(void* p) noexcept { release(p, plain); }
void operator delete[](void* p) noexcept { release(p, plain); }
void operator delete(void* p, std::size_t) noexcept { release(p, plain); }
void operator delete[](void* p, std::size_t) noexcept { release(p, plain); }
void operator delete(void* p, const std::nothrow_t&) noexcept { release(p, plain); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { release(p, plain); }
void operator delete(void* p, std::align_val_t a) noexcept { release(p, of(a)); }
void operator delete[](void* p, std::align_val_t a) noexcept { release(p, of(a)); }
void operator delete(void* p, std::size_t, std::align_val_t a) noexcept { release(p, of(a)); }
void operator delete[](void* p, std::size_t, std::align_val_t a) noexcept { release(p, of(a)); }
void operator delete(void* p, std::align_val_t a, const std::nothrow_t&) noexcept { release(p, of(a)); }
void operator delete[](void* p, std::align_val_t a, const std::nothrow_t&) noexcept { release(p, of(a)); }

// SPDX-License-Identifier: Apache-2.0
// Fibers: stacks between which one host thread switches, for the threads of a block.
#pragma once

#include <sys/mman.h>

#include <cstddef>

#include <situ/emulation/sanitizers.hpp>
#include <situ/emulation/stack_switch.hpp>

namespace situ::internal::cuda::emulated {

/// A stack and the position where it was left. Also represents the stack of the host thread that runs a launch, without
/// owning its memory.
struct Fiber {
  StackPosition position;
  const void* stack = nullptr;  // lowest address
  std::size_t stack_bytes = 0;
  void* fake_stack = nullptr;  // AddressSanitizer's
  void* tsan = nullptr;        // ThreadSanitizer's context while the fiber is left
  Fiber* next_idle = nullptr;
  Fiber* next = nullptr;  // of all
};

// AddressSanitizer's frames are several times larger.
inline constexpr std::size_t fiber_stack_bytes =
    (under_address_sanitizer || under_thread_sanitizer) ? 256 << 10 : 128 << 10;
inline constexpr std::size_t fiber_guard_bytes = 64 << 10;

/// A fiber that calls `entry` at the first switch to it; null if there is no memory. Only pages of its stack that are
/// used take memory. Below the stack is a guard that must not be accessed.
inline Fiber* create_fiber(void (*entry)()) {
  void* const mapped = mmap(nullptr, fiber_guard_bytes + fiber_stack_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  mprotect(mapped, fiber_guard_bytes, PROT_NONE);
  auto* const fiber = new Fiber;
  fiber->stack = static_cast<char*>(mapped) + fiber_guard_bytes;
  fiber->stack_bytes = fiber_stack_bytes;
  fiber->position.prepare(const_cast<void*>(fiber->stack), fiber->stack_bytes, entry);
  fiber->tsan = tsan_create();
  return fiber;
}

inline void destroy_fiber(Fiber* fiber) noexcept {
  tsan_destroy(fiber->tsan);
  unpoison(fiber->stack, fiber->stack_bytes);
  munmap(static_cast<char*>(const_cast<void*>(fiber->stack)) - fiber_guard_bytes,
         fiber_guard_bytes + fiber->stack_bytes);
  delete fiber;
}

/// Makes a fiber that was left in the middle of a thread call `entry` again. That thread is abandoned.
inline void restart_fiber(Fiber& fiber, void (*entry)()) noexcept {
  unpoison(fiber.stack, fiber.stack_bytes);
  fiber.fake_stack = nullptr;
  tsan_destroy(fiber.tsan);
  fiber.tsan = tsan_create();
  fiber.position.prepare(const_cast<void*>(fiber.stack), fiber.stack_bytes, entry);
}

}  // namespace situ::internal::cuda::emulated

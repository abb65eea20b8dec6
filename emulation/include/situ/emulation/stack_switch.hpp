// SPDX-License-Identifier: Apache-2.0
// Switches from one stack to the position where another was left, in a dozen instructions. On processors other than
// x86-64 and aarch64 by the system's `swapcontext`, which was rejected for these two because every switch makes a
// system call.
#pragma once

#include <cstddef>
#include <cstdint>

#if !(defined(__x86_64__) || defined(__aarch64__)) || !defined(__ELF__)
#include <ucontext.h>
#endif

namespace situ::internal::cuda::emulated {

#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__ELF__)

// A function in a section group of its own, so that the linker keeps one copy, as for an inline function. It saves the
// callee-saved registers, stores the stack pointer in *from, loads the other one and restores the registers.
#if defined(__x86_64__)
asm(R"(
  .pushsection .text.situ_emulated_switch_stack,"axG",@progbits,situ_emulated_switch_stack,comdat
  .weak situ_emulated_switch_stack
  .hidden situ_emulated_switch_stack
  .type situ_emulated_switch_stack,@function
situ_emulated_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp,(%rdi)
  movq %rsi,%rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size situ_emulated_switch_stack,.-situ_emulated_switch_stack
  .popsection
)");
#else
asm(R"(
  .pushsection .text.situ_emulated_switch_stack,"axG",@progbits,situ_emulated_switch_stack,comdat
  .weak situ_emulated_switch_stack
  .hidden situ_emulated_switch_stack
  .type situ_emulated_switch_stack,@function
situ_emulated_switch_stack:
  stp x29,x30,[sp,#-160]!
  stp x19,x20,[sp,#16]
  stp x21,x22,[sp,#32]
  stp x23,x24,[sp,#48]
  stp x25,x26,[sp,#64]
  stp x27,x28,[sp,#80]
  stp d8,d9,[sp,#96]
  stp d10,d11,[sp,#112]
  stp d12,d13,[sp,#128]
  stp d14,d15,[sp,#144]
  mov x2,sp
  str x2,[x0]
  mov sp,x1
  ldp x19,x20,[sp,#16]
  ldp x21,x22,[sp,#32]
  ldp x23,x24,[sp,#48]
  ldp x25,x26,[sp,#64]
  ldp x27,x28,[sp,#80]
  ldp d8,d9,[sp,#96]
  ldp d10,d11,[sp,#112]
  ldp d12,d13,[sp,#128]
  ldp d14,d15,[sp,#144]
  ldp x29,x30,[sp],#160
  ret
  .size situ_emulated_switch_stack,.-situ_emulated_switch_stack
  .popsection
)");
#endif
extern "C" void situ_emulated_switch_stack(void** from, void* to);

/// The position at which a stack was left.
class StackPosition {
 public:
  /// The next switch to this position calls `entry`, which must not return, on the empty stack.
  __attribute__((no_sanitize("thread"))) void prepare(void* stack, std::size_t bytes, void (*entry)()) noexcept {
    auto** const top = reinterpret_cast<void**>(static_cast<char*>(stack) + bytes);  // aligned to a page
#if defined(__x86_64__)
    void** const frame = top - 8;  // six registers, the entry, and no caller
    frame[6] = reinterpret_cast<void*>(entry);
    frame[7] = nullptr;
    for (int i = 0; i < 6; ++i) frame[i] = nullptr;
#else
    void** const frame = top - 20;
    for (int i = 0; i < 20; ++i) frame[i] = nullptr;
    frame[1] = reinterpret_cast<void*>(entry);
#endif
    pointer_ = frame;
  }
  __attribute__((no_sanitize("thread"))) static void change(StackPosition& from, StackPosition& to) noexcept {
    situ_emulated_switch_stack(&from.pointer_, to.pointer_);
  }

 private:
  void* pointer_ = nullptr;
};

#else

class StackPosition {
 public:
  __attribute__((no_sanitize("thread"))) void prepare(void* stack, std::size_t bytes, void (*entry)()) noexcept {
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack;
    context_.uc_stack.ss_size = bytes;
    context_.uc_link = nullptr;
    makecontext(&context_, entry, 0);
  }
  __attribute__((no_sanitize("thread"))) static void change(StackPosition& from, StackPosition& to) noexcept {
    swapcontext(&from.context_, &to.context_);
  }

 private:
  ucontext_t context_{};
};

#endif

}  // namespace situ::internal::cuda::emulated

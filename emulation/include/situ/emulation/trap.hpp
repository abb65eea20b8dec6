// SPDX-License-Identifier: Apache-2.0
// Explains an access to memory of an emulated device that is closed to the accessing code, before the program ends as
// it would have: by the previous handler, or by the signal.
#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <situ/core/stay_loaded.hpp>
#include <situ/emulation/machine.hpp>

namespace situ::internal::cuda::emulated::detail {

inline constinit struct sigaction previous_action {};

/// Formats without allocating and writes without the program's buffers: the program may be in any state.
template <class... Value>
void write_error(const char* format, Value... values) noexcept {
  char text[512];
  const int length = std::snprintf(text, sizeof text, format, values...);
  if (length <= 0) return;
  const auto bytes =
      static_cast<std::size_t>(length) < sizeof text ? static_cast<std::size_t>(length) : sizeof text - 1;
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, bytes);
}

inline void explain(const void* touched) noexcept {
  constexpr const char* not_allocated = "that is not allocated";
  constexpr const char* no_access = "without peer access";
  const Machine& here = machine();
  const int owner = here.device_of(touched);
  const Block* const block = Block::current;
  if (block == nullptr) {
    if (owner < 0) return;
    if (Machine::running_here) {
      return write_error("situ: operation '%s' of cuda:%d (emulated) touched memory of cuda:%d (emulated) %s: %p\n",
                         here.running_name, here.running_device, owner,
                         owner == here.running_device ? not_allocated : no_access, touched);
    }
    return write_error(
        "situ: the host touched memory of cuda:%d (emulated): use .to<Cpu>(), or launch_on for a kernel\n", owner);
  }
  const char* const name = block->launch()->name;
  const auto number = static_cast<long long>(block->block);
  if (owner < 0) {
    const char* const what = block->in_guard(touched) ? "used more stack than a fiber has, touching"
                                                      : "touched memory that belongs to no device:";
    return write_error("situ: kernel '%s', block %lld, thread %d, on cuda:%d (emulated) %s %p\n", name, number,
                       block->thread, here.running_device, what, touched);
  }
  write_error(
      "situ: kernel '%s', block %lld, thread %d, on cuda:%d (emulated) touched memory of cuda:%d (emulated) %s: %p\n",
      name, number, block->thread, here.running_device, owner, owner == here.running_device ? not_allocated : no_access,
      touched);
}

/// Explains, then lets the access fail again under the previous action.
inline void on_fault(int signal, siginfo_t* info, void*) noexcept {
  if (info->si_code > 0) explain(info->si_addr);
  sigaction(signal, &previous_action, nullptr);
  if (info->si_code <= 0) raise(signal);  // sent by another process: it will not occur again
}

/// AddressSanitizer reports an address and a stack; this adds the thread of the kernel, and whether the order of
/// streams is the cause.
inline void explain_report(const char*) noexcept {
#if defined(ASAN_POISON_MEMORY_REGION)
  if constexpr (under_address_sanitizer) {
    const Machine& here = machine();
    if (const Claim* const claim = here.claims.closing(__asan_get_report_address()))
      write_error("situ: '%s' on cuda:%d (emulated) and the %s of this memory, in another stream, are in no order\n",
                  here.running_name, here.running_device, claim->by);
  }
#endif
  const Block* const block = Block::current;
  if (block == nullptr) return;
  write_error("situ: this happened in kernel '%s', block %lld, thread %d, on cuda:%d (emulated)\n",
              block->launch()->name, static_cast<long long>(block->block), block->thread, machine().running_device);
}

inline void install_trap() noexcept {
  stay_loaded();
#if defined(ASAN_POISON_MEMORY_REGION)
  if constexpr (under_address_sanitizer) __asan_set_error_report_callback(&explain_report);
#endif
  struct sigaction action {};
  action.sa_sigaction = &on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &previous_action);
}

/// A stack for the handler, in case that of a fiber is used up. One for each host thread that runs kernels and has
/// none.
class HandlerStack {
 public:
  HandlerStack() noexcept {
    stack_t present{};
    if (sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    stack_t mine{};
    mine.ss_sp = memory;
    mine.ss_size = bytes;
    if (sigaltstack(&mine, nullptr) == 0) memory_ = memory;
    else munmap(memory, bytes);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;
  ~HandlerStack() {
    if (memory_ == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(memory_, bytes);
  }

 private:
  static constexpr std::size_t bytes = 64 << 10;
  void* memory_ = nullptr;
};

inline void ensure_handler_stack() noexcept { static thread_local const HandlerStack stack; }

}  // namespace situ::internal::cuda::emulated::detail

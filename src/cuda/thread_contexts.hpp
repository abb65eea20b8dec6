// SPDX-License-Identifier: Apache-2.0
// What a library of NVIDIA's wants to be made once: its handles, which no two threads may use at a time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <situ/core/stay_loaded.hpp>
#include <situ/cuda/runtime/device_map.hpp>
#include <situ/cuda/runtime/device_memory.hpp>
#include <situ/cuda/runtime/device_state.hpp>

namespace situ::internal::cuda {

/// The contexts of threads that have ended, for the next ones; never destroyed, since the library may be gone at exit.
template <class Context>
struct IdleContexts {
  std::mutex mutex;
  std::vector<Context*> contexts;

  [[nodiscard]] static IdleContexts& instance() {
    static IdleContexts& idle = *new IdleContexts;
    return idle;
  }
};

/// A context has an `ordinal`, and a function `open(again)` that makes its handles: false where there is no memory for
/// them, but when it is called again it throws.
template <class Context>
[[nodiscard]] Context* make_context(DeviceState& device) {
  {
    auto& idle = IdleContexts<Context>::instance();
    const std::lock_guard lock(idle.mutex);
    for (auto& context : idle.contexts) {
      if (context->ordinal != device.ordinal) continue;
      std::swap(context, idle.contexts.back());
      Context* const found = idle.contexts.back();
      idle.contexts.pop_back();
      return found;
    }
  }
  auto context = std::make_unique<Context>();
  context->ordinal = device.ordinal;
  if (!context->open(false)) {
    reclaim(device);
    static_cast<void>(context->open(true));
  }
  return context.release();
}

/// The calling thread's for a device, which is the current one.
template <class Context>
[[nodiscard]] Context& context_of(DeviceState& device) {
  struct Own {
    std::array<Context*, max_devices> contexts{};

    ~Own() {
      auto& idle = IdleContexts<Context>::instance();
      const std::lock_guard lock(idle.mutex);
      for (Context* const context : contexts) {
        if (context != nullptr) idle.contexts.push_back(context);
      }
    }
  };
  stay_loaded();
  thread_local Own own;
  Context*& context = own.contexts[static_cast<std::size_t>(device.ordinal)];
  if (context == nullptr) context = make_context<Context>(device);
  return *context;
}

}  // namespace situ::internal::cuda

// SPDX-License-Identifier: Apache-2.0
// Events of a device for the library's own use: created once, then reused.
#pragma once

#include <mutex>
#include <utility>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>

#if defined(SITU_CUDA)
#include <memory>

namespace situ::internal::cuda {

[[nodiscard]] inline api::Event take_event(DeviceState& device) {
  choose_device(device.physical, device.ordinal);
  {
    const std::lock_guard lock(device.mutex);
    if (!device.idle_events.empty()) {
      const api::Event event = device.idle_events.back();
      device.idle_events.pop_back();
      return event;
    }
  }
  const DeviceGuard guard(device.physical, device.ordinal);
  api::Event event{};
  check(api::event_create(&event), "cudaEventCreateWithFlags", device.ordinal);
  return event;
}

inline void give_event(DeviceState& device, api::Event event) noexcept {
  try {
    const std::lock_guard lock(device.mutex);
    device.idle_events.push_back(event);
  } catch (...) {
    ignore(api::event_destroy(event));
  }
}

/// An event from the pool, returned at the end of the scope.
class PooledEvent {
 public:
  explicit PooledEvent(DeviceState& device) : device_(&device), event_(take_event(device)) {}
  PooledEvent(const PooledEvent&) = delete;
  PooledEvent& operator=(const PooledEvent&) = delete;
  ~PooledEvent() {
    if (device_ != nullptr) give_event(*device_, event_);
  }

  [[nodiscard]] api::Event get() const noexcept { return event_; }
  /// Gives up the event; the caller must return it.
  [[nodiscard]] api::Event release() noexcept {
    device_ = nullptr;
    return event_;
  }

 private:
  DeviceState* device_;
  api::Event event_;
};

/// A shared event that was recorded once, such as at the end of a copy, for both blocks and for every waiter. Once back
/// in the pool, it may be recorded again at once: waits issued before refer to the old record.
using SharedEvent = std::shared_ptr<const PooledEvent>;

}  // namespace situ::internal::cuda

#endif

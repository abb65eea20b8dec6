// SPDX-License-Identifier: Apache-2.0
// The state of each logical GPU: its properties, memory pool and streams. Created on first use, never destroyed:
// tensors in static objects free their memory after everything else is gone.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_map.hpp>
#include <situ/cuda/runtime/stream_state.hpp>

#if defined(SITU_CUDA)
#include <memory>

namespace situ::internal::cuda {

struct Fault;
namespace detail {
struct FaultReport;
}

/// The direction of an asynchronous copy, each with its own stream: GPUs copy in both directions at once, while they
/// compute.
enum class CopyWay { to_gpu, to_host, between_gpus };

/// One logical GPU. Two of them may be the same physical GPU; they share nothing else.
struct DeviceState {
  int ordinal = 0;
  int physical = 0;
  api::DeviceProperties properties{};
  api::MemoryPool pool{};
  StreamState* compute = nullptr;  // the stream of work outside any `StreamScope`
  /// Returns the free blocks of the caching pool over `pool` to it; null before that exists.
  std::atomic<void (*)() noexcept> flush{nullptr};
  /// Whether that pool's limit allows the present workspace, freeing blocks for it; null likewise.
  std::atomic<bool (*)() noexcept> admits_workspace{nullptr};

  std::array<std::atomic<StreamState*>, 3> copy_streams{};  // by `CopyWay`; null before first use

  std::mutex mutex;  // of the members below
  std::vector<StreamState*> streams;
  std::vector<StreamState*> idle_streams;  // those without a `Stream` object
  std::vector<api::Event> idle_events;
  std::array<std::int8_t, max_devices> peers{};  // can device i access this one's memory: 1 yes, -1 no, 0 unknown

  std::mutex fault_mutex;                 // for creating the members below, and for taking a message
  std::atomic<Fault*> fault{nullptr};     // in device memory
  detail::FaultReport* report = nullptr;  // in pinned host memory; set before `fault`
};

namespace detail {

inline constinit std::array<std::atomic<DeviceState*>, max_devices> device_states{};

/// A new stream of the device, owned by the library from then on.
inline StreamState* make_stream(DeviceState& device) {
  auto state = std::make_unique<StreamState>();
  state->device = &device;
  state->ordinal = device.ordinal;
  const DeviceGuard guard(device.physical, device.ordinal);
  check(api::stream_create(&state->stream), "cudaStreamCreateWithFlags", device.ordinal);
  const api::Error error = api::event_create(&state->tail);
  if (error != api::success) {
    ignore(api::stream_destroy(state->stream));
    check(error, "cudaEventCreateWithFlags", device.ordinal);
  }
  const std::lock_guard lock(device.mutex);
  device.streams.push_back(state.get());
  return state.release();
}

[[gnu::noinline]] inline DeviceState& make_device_state(int ordinal) {
  static std::mutex& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  auto& place = device_states[static_cast<std::size_t>(ordinal)];
  if (DeviceState* const made = place.load(std::memory_order_acquire)) return *made;
  if (ordinal >= device_count()) fail_unavailable(ordinal, device_name(ordinal));
  auto state = std::make_unique<DeviceState>();
  state->ordinal = ordinal;
  state->physical = DeviceMap::instance().physical(ordinal, /*use=*/true);
  check(api::device_properties(&state->properties, state->physical), "cudaGetDeviceProperties", ordinal);
  {
    const DeviceGuard guard(state->physical, ordinal);
    check(api::pool_create(&state->pool, state->physical), "cudaMemPoolCreate", ordinal);
  }
  state->compute = make_stream(*state);
  place.store(state.get(), std::memory_order_release);
  return *state.release();
}

}  // namespace detail

/// The state of logical GPU `ordinal`. Throws `DeviceUnavailable` if there is none.
[[nodiscard]] inline DeviceState& device_state(int ordinal) {
  if (ordinal < max_devices) [[likely]] {
    DeviceState* const state = detail::device_states[static_cast<std::size_t>(ordinal)].load(std::memory_order_acquire);
    if (state != nullptr) [[likely]]
      return *state;
    return detail::make_device_state(ordinal);
  }
  fail_unavailable(ordinal, device_name(ordinal));
}

/// The stream of a device for copies in one direction.
[[nodiscard]] inline StreamState* copy_stream(DeviceState& device, CopyWay way) {
  auto& place = device.copy_streams[static_cast<std::size_t>(way)];
  if (StreamState* const made = place.load(std::memory_order_acquire)) return made;
  StreamState* const fresh = detail::make_stream(device);
  fresh->is_for_copies = true;
  StreamState* expected = nullptr;
  if (place.compare_exchange_strong(expected, fresh, std::memory_order_acq_rel)) return fresh;
  fresh->is_for_copies = false;  // another thread was first
  const std::lock_guard lock(device.mutex);
  device.idle_streams.push_back(fresh);
  return expected;
}

/// CUDA's properties of logical GPU `ordinal`, without initializing it, which would take time and memory. Throws
/// `DeviceUnavailable` if there is none.
[[nodiscard]] inline api::DeviceProperties device_properties(int ordinal) {
  if (ordinal >= device_count()) fail_unavailable(ordinal, device_name(ordinal));
  api::DeviceProperties properties{};
  check(api::device_properties(&properties, detail::DeviceMap::instance().physical(ordinal, /*use=*/false)),
        "cudaGetDeviceProperties", ordinal);
  return properties;
}

/// The state of a GPU that is in use, else of the first, so that a program for `Cuda<1>` leaves the first GPU alone.
[[nodiscard]] inline DeviceState& any_device_state() {
  for (auto& place : detail::device_states) {
    if (DeviceState* const state = place.load(std::memory_order_acquire)) return *state;
  }
  return device_state(0);
}

/// Calls `f` with the state of every logical device in use on physical GPU `physical`.
template <class F>
void for_each_device_on(int physical, F&& f) {
  for (auto& place : detail::device_states) {
    DeviceState* const state = place.load(std::memory_order_acquire);
    if (state != nullptr && state->physical == physical) f(*state);
  }
}

}  // namespace situ::internal::cuda

#endif

// SPDX-License-Identifier: Apache-2.0
// Queues of a device's work: `Stream`, `StreamScope`, `StreamEvent`, `synchronize`. Most programs need only the last:
// each GPU's work runs in one stream, in order, and the library orders the accesses of several streams to one tensor.
#pragma once

#include <type_traits>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/movement.hpp>
#include <situ/cuda/runtime/handles.hpp>
#include <situ/device/cuda.hpp>
#include <situ/device/device.hpp>

namespace situ {

template <Device D>
class Stream;
template <Device D>
class StreamEvent;

/// A stream of GPU `Ordinal`, reserved for as long as the object lives. Work in two streams may run concurrently. When
/// the object is destroyed, its work continues and the stream is reused for the next object.
///
///     Stream<Cuda<0>> side;
///     Tensor y = [&] { StreamScope scope(side); return matmul(a, b); }();   // beside the work in the default stream
///     Tensor z = y + 1.f;                                                  // waits for it, on the GPU
template <int Ordinal>
class Stream<Cuda<Ordinal>> {
 public:
  using device_type = Cuda<Ordinal>;

  /// Throws `DeviceUnavailable`.
  Stream() : state_(internal::cuda::take_stream(Ordinal)), owned_(true) {}
  Stream(Stream&& other) noexcept : state_(other.state_), owned_(std::exchange(other.owned_, false)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(state_, other.state_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~Stream() {
    if (owned_) internal::cuda::give_stream(state_);
  }

  /// The stream for work on the device outside any `StreamScope`: one for the whole process.
  [[nodiscard]] static Stream compute() { return Stream(internal::cuda::compute_stream(Ordinal)); }
  /// The stream for this thread's work.
  [[nodiscard]] static Stream current() { return Stream(internal::cuda::current_stream(Ordinal)); }

  /// Whether all work in it is done.
  [[nodiscard]] bool idle() const { return internal::cuda::stream_is_idle(state_); }
  /// Work put into this stream from now on runs after the last record of the event.
  void wait(const StreamEvent<Cuda<Ordinal>>& event) const { internal::cuda::wait_for_event(state_, event.native()); }

  /// The `cudaStream_t`, for CUDA calls of your own. `launch_on` (situ/launch.hpp) orders them with other work.
  [[nodiscard]] internal::cuda::NativeStream native() const noexcept { return internal::cuda::native_stream(state_); }
  /// For the library.
  [[nodiscard]] internal::cuda::Backend backend() const noexcept { return {Ordinal, state_}; }
  [[nodiscard]] internal::cuda::StreamState* state() const noexcept { return state_; }

  friend bool operator==(const Stream& a, const Stream& b) noexcept { return a.state_ == b.state_; }

 private:
  explicit Stream(internal::cuda::StreamState* state) noexcept : state_(state) {}

  internal::cuda::StreamState* state_;
  bool owned_ = false;
};

/// While it is alive, this thread's work on the stream's device is put into the stream. Scopes nest.
template <Device D>
class [[nodiscard]] StreamScope;

template <int Ordinal>
class [[nodiscard]] StreamScope<Cuda<Ordinal>> {
 public:
  [[nodiscard]] explicit StreamScope(const Stream<Cuda<Ordinal>>& stream)
      : before_(internal::cuda::exchange_stream(Ordinal, stream.state())) {}
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;
  ~StreamScope() { internal::cuda::exchange_stream(Ordinal, before_); }

 private:
  internal::cuda::StreamState* before_;
};
template <int Ordinal>
StreamScope(const Stream<Cuda<Ordinal>>&) -> StreamScope<Cuda<Ordinal>>;

/// Whether an event records the time.
enum class Timing { off, on };

/// A point in a stream of GPU `Ordinal`.
///
///     StreamEvent<Cuda<0>> start(Timing::on), end(Timing::on);
///     start.record();
///     Tensor y = matmul(a, b);
///     end.record();
///     std::cout << end.milliseconds_since(start);   // waits for both
template <int Ordinal>
class StreamEvent<Cuda<Ordinal>> {
 public:
  /// Throws `DeviceUnavailable`.
  explicit StreamEvent(Timing timing = Timing::off)
      : event_(internal::cuda::make_event(Ordinal, timing == Timing::on)) {}
  StreamEvent(StreamEvent&& other) noexcept : event_(std::exchange(other.event_, {})) {}
  StreamEvent& operator=(StreamEvent&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~StreamEvent() {
    if (event_ != internal::cuda::NativeEvent{}) internal::cuda::destroy_event(event_);
  }

  /// Records all work now in this thread's stream: the event is over when that work is done.
  void record() { record(Stream<Cuda<Ordinal>>::current()); }
  /// The same for the work now in `stream`.
  void record(const Stream<Cuda<Ordinal>>& stream) { internal::cuda::record_event(event_, stream.state()); }

  /// Whether it is over; also before the first record.
  [[nodiscard]] bool over() const { return internal::cuda::event_is_over(event_, Ordinal); }
  /// Waits, on the host, until it is over.
  void synchronize(CallSite site = CallSite::here()) const {
    using D = Cuda<Ordinal>;
    const internal::movement::CrossingBetween<D, D> wait("synchronize", 0, /*host_waits=*/true, site);
    internal::cuda::synchronize_event(event_, Ordinal);
  }

  /// The time between two recorded events with `Timing::on`; the host waits for this one.
  [[nodiscard]] double milliseconds_since(const StreamEvent& start, CallSite site = CallSite::here()) const {
    synchronize(site);
    return internal::cuda::milliseconds_between(start.event_, event_, Ordinal);
  }

  /// For the library and for your own CUDA calls.
  [[nodiscard]] internal::cuda::NativeEvent native() const noexcept { return event_; }

 private:
  internal::cuda::NativeEvent event_;
};

/// The number of a GPU in CUDA's own calls, such as `cudaSetDevice`. That of `Cuda<1>` is 1 unless `SITU_CUDA_DEVICES`
/// or `set_devices` says otherwise. Throws `DeviceUnavailable`.
///
///     cudaSetDevice(physical_device(gpu<1>));
template <int Ordinal>
[[nodiscard]] int physical_device(Cuda<Ordinal>) {
  return internal::cuda::physical_device(Ordinal);
}

/// Waits, on the host, for all work on a device: `synchronize<Cuda<0>>()`, `synchronize(gpu<0>)`. Throws the errors of
/// that work: `CudaError`, and `IndexError` for an index out of range found by a kernel. Host devices never have work
/// pending.
template <Device D>
void synchronize(D = {}, CallSite site = CallSite::here()) {
  if constexpr (!HostDevice<D>) {
    const internal::movement::CrossingBetween<D, D> wait("synchronize", 0, /*host_waits=*/true, site);
    internal::cuda::synchronize_device(D::ordinal);
  }
}

/// Waits, on the host, for all work in a stream.
template <int Ordinal>
void synchronize(const Stream<Cuda<Ordinal>>& stream, CallSite site = CallSite::here()) {
  using D = Cuda<Ordinal>;
  const internal::movement::CrossingBetween<D, D> wait("synchronize", 0, /*host_waits=*/true, site);
  internal::cuda::synchronize_stream(stream.state());
}

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// The interface to NCCL: sums over GPUs by the library that knows their links. It is loaded when the program first
// needs it (src/cuda/nccl.cpp), so that programs also run without it; the emulation has none unless a test sets one.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/peers.hpp>
#include <situ/cuda/runtime/stream_state.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// The values are those of NCCL.
enum class NcclType {
  int8 = 0,
  uint8 = 1,
  int32 = 2,
  uint32 = 3,
  int64 = 4,
  uint64 = 5,
  float16 = 6,
  float32 = 7,
  float64 = 8,
  bfloat16 = 9
};
enum class NcclOp { sum = 0 };

/// The identifier by which the processes of a communicator find each other.
using NcclId = std::array<char, 128>;

/// The functions of NCCL that are used. Those that return an `int` return 0 for success.
struct Nccl {
  int (*init_all)(void** communicators, int count, const int* physical);
  int (*group_start)();
  int (*group_end)();
  int (*all_reduce)(const void* from, void* to, std::size_t count, NcclType type, NcclOp op, void* communicator,
                    api::Stream stream);
  const char* (*error_text)(int error);
  const char* (*last_error)();
  // For one GPU of each of several processes. Calls return before their work is done; until then `async_error` reports
  // `in_progress`.
  int (*unique_id)(NcclId& id) = nullptr;
  int (*init_rank)(void** communicator, int ranks, const NcclId& id, int rank) = nullptr;
  int (*async_error)(void* communicator, int* error) = nullptr;
  int (*abort)(void* communicator) = nullptr;
};
inline constexpr int nccl_in_progress = 7;

/// NCCL, or null if it is not available: the build had no nccl.h, no libnccl.so.2 can be loaded, or SITU_NCCL=0 is set
/// in the environment.
[[nodiscard]] const Nccl* nccl();

#if defined(SITU_CUDA_EMULATED)
namespace detail {
inline constinit std::atomic<const Nccl*> emulated_nccl{nullptr};
}
inline const Nccl* nccl() { return detail::emulated_nccl.load(); }
#endif

/// Whether NCCL adds elements `T`: all numbers except 16-bit integers.
template <Element T>
inline constexpr bool has_nccl_type = NumberElement<T> && !(std::integral<T> && sizeof(T) == 2);

template <Element T>
  requires has_nccl_type<T>
[[nodiscard]] constexpr NcclType nccl_type() noexcept {
  if constexpr (std::same_as<T, std::int8_t>) return NcclType::int8;
  else if constexpr (std::same_as<T, std::uint8_t>) return NcclType::uint8;
  else if constexpr (std::same_as<T, std::int32_t>) return NcclType::int32;
  else if constexpr (std::same_as<T, std::uint32_t>) return NcclType::uint32;
  else if constexpr (std::same_as<T, std::int64_t>) return NcclType::int64;
  else if constexpr (std::same_as<T, std::uint64_t>) return NcclType::uint64;
  else if constexpr (std::same_as<T, float16>) return NcclType::float16;
  else if constexpr (std::same_as<T, bfloat16>) return NcclType::bfloat16;
  else if constexpr (std::same_as<T, float>) return NcclType::float32;
  else return NcclType::float64;
}

/// The part of one GPU in a sum: the addresses of its term and of the sum, not in place.
struct NcclTerm {
  Backend backend;
  const void* from;
  void* to;
};

namespace detail {

/// The communicators in use, by list of GPUs, and the end of the last sum on each GPU. Never destroyed.
struct NcclState {
  std::mutex mutex;
  std::map<std::vector<int>, std::vector<void*>> communicators;
  std::map<int, api::Event> last;  // by physical GPU; created with its first collective

  static NcclState& instance() {
    static NcclState& state = *new NcclState;
    return state;
  }
};

/// Restores the caller's current device at the end.
class CurrentDevice {
 public:
  explicit CurrentDevice(int ordinal) { check(api::get_device(&device_), "cudaGetDevice", ordinal); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() { ignore(api::set_device(device_)); }

 private:
  int device_ = 0;
};

inline void check_nccl(const Nccl& library, int error, const char* call, const std::string& gpus) {
  if (error == 0) return;
  const char* const more = library.last_error();
  throw CudaError(std::string("all_reduce: ") + call + " failed on " + gpus + ": " + library.error_text(error) +
                      (more != nullptr && *more != '\0' ? std::string("; ") + more : "") +
                      "; NCCL_DEBUG=INFO in the environment says more, SITU_NCCL=0 does without NCCL",
                  "NCCL", /*context_lost=*/false);
}

}  // namespace detail

/// Whether NCCL can add over these GPUs: it is available, and no two of them are the same physical GPU.
[[nodiscard]] inline bool all_reduce_reaches(std::span<const Backend> backends) {
  if (nccl() == nullptr) return false;
  for (std::size_t i = 0; i < backends.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (backends[i].stream->device->physical == backends[k].stream->device->physical) return false;
    }
  }
  return true;
}

namespace detail {
/// NCCL's kernels read and write the buffers of the other GPUs. These are in memory pools, which only their owner can
/// open to others; otherwise the kernels fault. NCCL itself handles GPUs that cannot reach each other.
inline void open_to_each_other(std::span<const NcclTerm> terms) {
  for (const NcclTerm& reader : terms) {
    for (const NcclTerm& owner : terms) static_cast<void>(reaches(reader.backend, owner.backend));
  }
}
}  // namespace detail

namespace detail {
/// Calls `f`, which enqueues work in the streams of all terms.
template <class F>
void with_observed(std::span<const NcclTerm> terms, const F& f) {
  if (terms.empty()) return f();
  const ObservedWork work(*terms.front().backend.stream, "all_reduce by NCCL");
  with_observed(terms.subspan(1), f);
}
}  // namespace detail

/// Writes the sum of `count` elements of all terms to each of them, in the streams of the backends, to which the caller
/// has announced it. Only if `all_reduce_reaches`. Throws `CudaError`.
inline void nccl_all_reduce(std::span<const NcclTerm> terms, std::size_t count, NcclType type) {
  const Nccl& library = *nccl();
  std::string gpus;
  std::vector<int> physical;
  for (const NcclTerm& term : terms) {
    gpus += (gpus.empty() ? "" : ", ") + device_name(term.backend.ordinal);
    physical.push_back(term.backend.stream->device->physical);
  }
  // The sums of all threads run one after another, in the same order on every GPU: two that wait for each other on
  // different GPUs would never end.
  detail::NcclState& state = detail::NcclState::instance();
  const std::lock_guard lock(state.mutex);
  const detail::CurrentDevice current(terms[0].backend.ordinal);
  detail::open_to_each_other(terms);
  std::vector<void*>& communicators = state.communicators[physical];
  if (communicators.empty()) {
    std::vector<void*> made(physical.size());
    detail::check_nccl(library, library.init_all(made.data(), static_cast<int>(made.size()), physical.data()),
                       "ncclCommInitAll", gpus);
    communicators = std::move(made);
  }
  for (const NcclTerm& term : terms) {
    StreamState& stream = *term.backend.stream;
    api::Event& last = state.last[stream.device->physical];
    if (last == api::Event{}) {
      const DeviceGuard of_event(stream.device->physical, stream.ordinal);
      check(api::event_create(&last), "cudaEventCreateWithFlags", stream.ordinal);
    } else {
      check(api::stream_wait(stream.stream, last), "cudaStreamWaitEvent", stream.ordinal);
    }
  }
  detail::with_observed(terms, [&] {
    detail::check_nccl(library, library.group_start(), "ncclGroupStart", gpus);
    int error = 0;
    for (std::size_t i = 0; i < terms.size() && error == 0; ++i) {
      error = library.all_reduce(terms[i].from, terms[i].to, count, type, NcclOp::sum, communicators[i],
                                 terms[i].backend.stream->stream);
    }
    const int end = library.group_end();  // also after an error: an open group would swallow the next call
    detail::check_nccl(library, error, "ncclAllReduce", gpus);
    detail::check_nccl(library, end, "ncclGroupEnd", gpus);
  });
  for (const NcclTerm& term : terms) {
    StreamState& stream = *term.backend.stream;
    check(api::event_record(state.last[stream.device->physical], stream.stream), "cudaEventRecord", stream.ordinal);
  }
}

template <Element T>
void all_reduce_elements(std::span<const Backend> backends, std::span<const T* const> from, std::span<T* const> to,
                         std::int64_t count) {
  std::vector<NcclTerm> terms;
  for (std::size_t i = 0; i < backends.size(); ++i) terms.push_back({backends[i], from[i], to[i]});
  nccl_all_reduce(terms, static_cast<std::size_t>(count), nccl_type<T>());
}

}  // namespace situ::internal::cuda

#endif

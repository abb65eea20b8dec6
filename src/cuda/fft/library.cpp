// SPDX-License-Identifier: Apache-2.0
// Fourier transforms by cuFFT, compiled once; the only file that includes it. Each thread keeps the last few plans that
// it made for a device; device memory that they work in is of the stream's pool.
#include <cufft.h>

#include <cstddef>
#include <list>
#include <string>

#include <situ/core/error.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/fft/library.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_memory.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/cuda/runtime/stream.hpp>

#include "../thread_contexts.hpp"

namespace situ::internal::cuda::fft {

namespace {

void check(cufftResult status, const char* routine, int ordinal) {
  if (status == CUFFT_SUCCESS) [[likely]]
    return;
  const std::string name = "error " + std::to_string(static_cast<int>(status)) + " of cuFFT";
  std::string message = std::string(routine) + " failed on " + device_name(ordinal) + ": " + name;
  if (status == CUFFT_ALLOC_FAILED) {
    message += "; the GPU may have no memory left for the library: release tensors that are no longer needed";
  }
  throw CudaError(message, name, status == CUFFT_EXEC_FAILED);
}

template <class T>
struct Routines;
template <>
struct Routines<float> {
  static constexpr cufftType complex = CUFFT_C2C, real = CUFFT_R2C, inverse_real = CUFFT_C2R;
  static cufftResult run(cufftHandle plan, const program::Fourier& transform, float* in, float* out) {
    auto* const complex_in = reinterpret_cast<cufftComplex*>(in);
    auto* const complex_out = reinterpret_cast<cufftComplex*>(out);
    switch (transform.kind) {
      case program::FourierKind::real:
        return cufftExecR2C(plan, in, complex_out);
      case program::FourierKind::inverse_real:
        return cufftExecC2R(plan, complex_in, out);
      default:
        return cufftExecC2C(plan, complex_in, complex_out, transform.inverse ? CUFFT_INVERSE : CUFFT_FORWARD);
    }
  }
};
template <>
struct Routines<double> {
  static constexpr cufftType complex = CUFFT_Z2Z, real = CUFFT_D2Z, inverse_real = CUFFT_Z2D;
  static cufftResult run(cufftHandle plan, const program::Fourier& transform, double* in, double* out) {
    auto* const complex_in = reinterpret_cast<cufftDoubleComplex*>(in);
    auto* const complex_out = reinterpret_cast<cufftDoubleComplex*>(out);
    switch (transform.kind) {
      case program::FourierKind::real:
        return cufftExecD2Z(plan, in, complex_out);
      case program::FourierKind::inverse_real:
        return cufftExecZ2D(plan, complex_in, out);
      default:
        return cufftExecZ2Z(plan, complex_in, complex_out, transform.inverse ? CUFFT_INVERSE : CUFFT_FORWARD);
    }
  }
};

/// A plan, which serves both directions.
struct Plan {
  cufftHandle handle;
  cufftType type;
  long long length;
  long long count;
  std::size_t bytes;  // that it works in
};

/// The plans of one thread for one device.
struct Context {
  static constexpr std::size_t most_kept = 16;

  int ordinal = 0;
  std::list<Plan> plans;  // the last used one first

  /// See `context_of`.
  [[nodiscard]] bool open(bool) { return true; }

  [[nodiscard]] const Plan& plan(DeviceState& device, cufftType type, long long length, long long count) {
    for (auto at = plans.begin(); at != plans.end(); ++at) {
      if (at->type != type || at->length != length || at->count != count) continue;
      plans.splice(plans.begin(), plans, at);
      return plans.front();
    }
    Plan made{0, type, length, count, 0};
    if (!make(made, false)) {
      reclaim(device);
      static_cast<void>(make(made, true));
    }
    try {
      plans.push_front(made);
    } catch (...) {
      static_cast<void>(cufftDestroy(made.handle));
      throw;
    }
    if (plans.size() > most_kept) {
      static_cast<void>(cufftDestroy(plans.back().handle));
      plans.pop_back();
    }
    return plans.front();
  }

 private:
  /// False where the GPU has no memory for it, but throws when it is called again.
  [[nodiscard]] bool make(Plan& made, bool again) const {
    const char* routine = "cufftCreate";
    cufftResult status = cufftCreate(&made.handle);
    if (status == CUFFT_SUCCESS) {
      routine = "cufftSetAutoAllocation";
      status = cufftSetAutoAllocation(made.handle, 0);
      if (status == CUFFT_SUCCESS) {
        routine = "cufftMakePlanMany64";
        // rows without gaps, as the null pointers say
        status = cufftMakePlanMany64(made.handle, 1, &made.length, nullptr, 1, 0, nullptr, 1, 0, made.type, made.count,
                                     &made.bytes);
      }
      if (status != CUFFT_SUCCESS) static_cast<void>(cufftDestroy(made.handle));
    }
    if (status == CUFFT_ALLOC_FAILED && !again) return false;
    check(status, routine, ordinal);
    return true;
  }
};

}  // namespace

inline namespace in_library_situ_cuda_fft {

template <class T>
void transform_rows(const Backend& backend, const program::Fourier& transform, T* in, T* out) {
  using Routine = Routines<T>;
  const ObservedWork work(*backend.stream, "fft");
  const DeviceGuard guard(backend.stream->device->physical, backend.ordinal);
  Context& context = context_of<Context>(*backend.stream->device);
  const cufftType type = transform.kind == program::FourierKind::complex ? Routine::complex
                         : transform.kind == program::FourierKind::real  ? Routine::real
                                                                         : Routine::inverse_real;
  const Plan& plan = context.plan(*backend.stream->device, type, transform.length, transform.count);
  const Scratch memory(backend, plan.bytes);
  check(cufftSetStream(plan.handle, stream_of(backend)), "cufftSetStream", backend.ordinal);
  check(cufftSetWorkArea(plan.handle, memory.data()), "cufftSetWorkArea", backend.ordinal);
  check(Routine::run(plan.handle, transform, in, out), "cuFFT", backend.ordinal);
}

template void transform_rows(const Backend&, const program::Fourier&, float*, float*);
template void transform_rows(const Backend&, const program::Fourier&, double*, double*);

}  // namespace in_library_situ_cuda_fft

}  // namespace situ::internal::cuda::fft

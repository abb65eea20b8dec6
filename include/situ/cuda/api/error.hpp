// SPDX-License-Identifier: Apache-2.0
// `check`: turns the error code of a CUDA call into `CudaError`, with CUDA's text, the operation and the device.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <situ/core/error.hpp>
#include <situ/cuda/api/api.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// The printed name of a GPU: `cuda:0`, or in the emulation `cuda:0 (emulated)`.
[[nodiscard]] inline std::string device_name(int ordinal) {
  return "cuda:" + std::to_string(ordinal) + (api::emulated ? " (emulated)" : "");
}

namespace detail {

/// Errors after which every call of the process fails, by name, since the emulation has other numbers.
[[nodiscard]] inline bool loses_context(std::string_view name) noexcept {
  constexpr std::string_view names[] = {
      "cudaErrorIllegalAddress",     "cudaErrorLaunchTimeout",       "cudaErrorHardwareStackError",
      "cudaErrorIllegalInstruction", "cudaErrorMisalignedAddress",   "cudaErrorInvalidAddressSpace",
      "cudaErrorInvalidPc",          "cudaErrorLaunchFailure",       "cudaErrorAssert",
      "cudaErrorECCUncorrectable",   "cudaErrorNvlinkUncorrectable", "cudaErrorTensorMemoryLeak",
      "cudaErrorContained",          "cudaErrorMpsClientTerminated", "cudaErrorExternalDevice",
  };
  for (const std::string_view lost : names) {
    if (name == lost) return true;
  }
  return false;
}

[[nodiscard]] inline std::string_view hint(std::string_view name) noexcept {
  struct Hint {
    std::string_view name, text;
  };
  constexpr Hint hints[] = {
      {"cudaErrorNoKernelImageForDevice",
       "the program was compiled for other GPUs; add this one to CMAKE_CUDA_ARCHITECTURES"},
      {"cudaErrorInvalidDeviceFunction",
       "the program was compiled for other GPUs; add this one to CMAKE_CUDA_ARCHITECTURES"},
      {"cudaErrorUnsupportedPtxVersion", "the driver is older than the CUDA toolkit; update it"},
      {"cudaErrorInsufficientDriver", "there is no driver, or one older than the CUDA toolkit; see nvidia-smi"},
      {"cudaErrorNoDevice", "no GPU is visible; see nvidia-smi and CUDA_VISIBLE_DEVICES"},
      {"cudaErrorMemoryAllocation", "release tensors that are no longer needed, or compute in smaller pieces"},
      {"cudaErrorIllegalAddress", "a kernel touched memory that is not its own; compute-sanitizer says which"},
      {"cudaErrorMisalignedAddress", "a kernel touched memory at a wrong alignment; compute-sanitizer says which"},
      {"cudaErrorLaunchOutOfResources", "the kernel needs more registers or shared memory than the GPU has"},
      {"cudaErrorCudartUnloading", "the program is ending; work on a GPU cannot be begun in static destructors"},
      {"cudaErrorSystemDriverMismatch", "driver and kernel module have different versions; restart the machine"},
  };
  for (const Hint& h : hints) {
    if (name == h.name) return h.text;
  }
  return {};
}

template <class Detail>
void append(std::string& text, const Detail& detail) {
  if constexpr (std::integral<Detail>) text += std::to_string(detail);
  else text += detail;
}

[[noreturn]] inline void throw_error(api::Error error, const char* operation, int ordinal, const std::string& detail) {
  // CUDA also keeps the error, and would report it again at the next launch in this process.
  static_cast<void>(api::last_error());
  const std::string name = api::error_name(error);
  const bool lost = loses_context(name);
  std::string message =
      std::string(operation) + " failed on " + device_name(ordinal) + ": " + name + ": " + api::error_text(error);
  if (!detail.empty()) message += "; " + detail;
#if defined(SITU_CUDA_EMULATED)
  if (const std::string more = emulated::last_message(); !more.empty()) message += "; " + more;
#endif
  if (const std::string_view text = hint(name); !text.empty()) message.append("; ").append(text);
  if (lost) {
    message += "; the error may come from an earlier operation, whose context on the GPU is lost: restart the process";
  }
  throw CudaError(message, name, lost);
}

}  // namespace detail

/// Throws `CudaError` unless the call succeeded. `details`, text and numbers such as shapes and bytes, are joined into
/// one clause of the message.
template <class... Detail>
inline void check(api::Error error, const char* operation, int ordinal, const Detail&... details) {
  if (error == api::success) [[likely]]
    return;
  std::string detail;
  (detail::append(detail, details), ...);
  detail::throw_error(error, operation, ordinal, detail);
}

/// For calls during cleanup, which must not throw: clears the error, so that no later operation reports it.
inline void ignore(api::Error error) noexcept {
  if (error != api::success) static_cast<void>(api::last_error());
}

}  // namespace situ::internal::cuda

#endif

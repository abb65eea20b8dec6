// SPDX-License-Identifier: Apache-2.0
// The error codes of the emulation, with CUDA's numbers, names and texts.
#pragma once

namespace situ::internal::cuda::emulated {

enum class ErrorCode : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_configuration = 9,
  invalid_pitch = 12,
  no_device = 100,
  invalid_device = 101,
  invalid_context = 201,
  peer_access_unsupported = 217,
  invalid_resource_handle = 400,
  not_ready = 600,
  illegal_address = 700,
  launch_failure = 719,
  capture_unsupported = 900,
  capture_invalidated = 901,
  capture_unmatched = 903,
  capture_isolation = 905,
  captured_event = 907,
  capture_wrong_thread = 908,
};

inline const char* error_name(ErrorCode error) noexcept {
  switch (error) {
    case ErrorCode::success:
      return "cudaSuccess";
    case ErrorCode::invalid_value:
      return "cudaErrorInvalidValue";
    case ErrorCode::out_of_memory:
      return "cudaErrorMemoryAllocation";
    case ErrorCode::invalid_configuration:
      return "cudaErrorInvalidConfiguration";
    case ErrorCode::invalid_pitch:
      return "cudaErrorInvalidPitchValue";
    case ErrorCode::no_device:
      return "cudaErrorNoDevice";
    case ErrorCode::invalid_device:
      return "cudaErrorInvalidDevice";
    case ErrorCode::peer_access_unsupported:
      return "cudaErrorPeerAccessUnsupported";
    case ErrorCode::invalid_context:
      return "cudaErrorDeviceUninitialized";
    case ErrorCode::invalid_resource_handle:
      return "cudaErrorInvalidResourceHandle";
    case ErrorCode::not_ready:
      return "cudaErrorNotReady";
    case ErrorCode::illegal_address:
      return "cudaErrorIllegalAddress";
    case ErrorCode::launch_failure:
      return "cudaErrorLaunchFailure";
    case ErrorCode::capture_unsupported:
      return "cudaErrorStreamCaptureUnsupported";
    case ErrorCode::capture_invalidated:
      return "cudaErrorStreamCaptureInvalidated";
    case ErrorCode::capture_unmatched:
      return "cudaErrorStreamCaptureUnmatched";
    case ErrorCode::capture_isolation:
      return "cudaErrorStreamCaptureIsolation";
    case ErrorCode::captured_event:
      return "cudaErrorCapturedEvent";
    case ErrorCode::capture_wrong_thread:
      return "cudaErrorStreamCaptureWrongThread";
  }
  return "unrecognized error code";
}

inline const char* error_text(ErrorCode error) noexcept {
  switch (error) {
    case ErrorCode::success:
      return "no error";
    case ErrorCode::invalid_value:
      return "invalid argument";
    case ErrorCode::out_of_memory:
      return "out of memory";
    case ErrorCode::invalid_configuration:
      return "invalid configuration argument";
    case ErrorCode::invalid_pitch:
      return "invalid pitch argument";
    case ErrorCode::no_device:
      return "no CUDA-capable device is detected";
    case ErrorCode::invalid_device:
      return "invalid device ordinal";
    case ErrorCode::peer_access_unsupported:
      return "peer access is not supported between these two devices";
    case ErrorCode::invalid_context:
      return "invalid device context";
    case ErrorCode::invalid_resource_handle:
      return "invalid resource handle";
    case ErrorCode::not_ready:
      return "device not ready";
    case ErrorCode::illegal_address:
      return "an illegal memory access was encountered";
    case ErrorCode::launch_failure:
      return "unspecified launch failure";
    case ErrorCode::capture_unsupported:
      return "operation not permitted when stream is capturing";
    case ErrorCode::capture_invalidated:
      return "operation failed due to a previous error during capture";
    case ErrorCode::capture_unmatched:
      return "capture was not initiated in this stream";
    case ErrorCode::capture_isolation:
      return "dependency created on uncaptured work in another stream";
    case ErrorCode::captured_event:
      return "operation not permitted on an event last recorded in a capturing stream";
    case ErrorCode::capture_wrong_thread:
      return "attempt to terminate a thread-local capture sequence from another thread";
  }
  return "unrecognized error code";
}

constexpr bool is_error(ErrorCode error) noexcept { return error != ErrorCode::success; }

/// Whether all later calls fail too.
constexpr bool is_sticky(ErrorCode error) noexcept {
  return error == ErrorCode::illegal_address || error == ErrorCode::launch_failure;
}

}  // namespace situ::internal::cuda::emulated

// SPDX-License-Identifier: Apache-2.0
// The map from `Cuda<N>` to the GPUs of the machine: in order, or as set by `SITU_CUDA_DEVICES` or `set_devices`.
#pragma once

#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>

namespace situ::internal::cuda {

/// The most GPUs that one process can use.
inline constexpr int max_devices = 64;

#if defined(SITU_CUDA)

namespace detail {

/// The physical ordinal of every logical device; created on first use.
class DeviceMap {
 public:
  /// Never destroyed: tensors in static objects outlive everything.
  static DeviceMap& instance() {
    static DeviceMap* const map = new DeviceMap;
    return *map;
  }

  [[nodiscard]] int count() {
    const std::lock_guard lock(mutex_);
    make();
    return static_cast<int>(physical_.size());
  }

  /// The reason why there are no more devices.
  [[nodiscard]] std::string reason() {
    const std::lock_guard lock(mutex_);
    make();
    return reason_;
  }

  /// The GPU behind a logical device, which must exist; once one is in use, the map is fixed.
  [[nodiscard]] int physical(int ordinal, bool use) {
    const std::lock_guard lock(mutex_);
    make();
    used_ = used_ || use;
    return physical_.at(static_cast<std::size_t>(ordinal));
  }

  void set(std::vector<int> physical) {
    const std::lock_guard lock(mutex_);
    if (used_) {
      throw ValueError("set_devices: a GPU is in use already; call it before the first tensor on a GPU is made");
    }
    find();
    if (std::string problem = problem_with(physical); !problem.empty()) throw ValueError("set_devices: " + problem);
    physical_ = std::move(physical);
    reason_ = "set_devices named no more";
    made_ = true;
  }

 private:
  void make() {
    if (made_) return;
    made_ = true;
    find();
    const char* const list = std::getenv("SITU_CUDA_DEVICES");
    if (list == nullptr || *list == '\0') {
      reason_ = found_reason_;
      for (int i = 0; i < found_ && i < max_devices; ++i) physical_.push_back(i);
      return;
    }
    const std::string from = std::string("SITU_CUDA_DEVICES=") + list;
    std::vector<int> named;
    std::string problem =
        parse(list, named) ? problem_with(named) : "it must be ordinals with commas between them, as 0,0";
    if (!problem.empty()) {
      reason_ = from + ": " + problem;
      return;
    }
    physical_ = std::move(named);
    reason_ = from + " names no more";
  }

  /// Asks CUDA how many GPUs there are.
  void find() {
    if (asked_) return;
    asked_ = true;
    const api::Error error = api::device_count(&found_);
    if (error != api::success) {
      found_ = 0;
      ignore(error);
      found_reason_ = std::string("CUDA says ") + api::error_name(error) + ": " + api::error_text(error);
      if (const std::string_view text = hint(api::error_name(error)); !text.empty()) {
        found_reason_.append("; ").append(text);
      }
    } else {
      found_reason_ = found_ == 0 ? "CUDA found no GPU" : "the machine has no more";
    }
  }

  [[nodiscard]] std::string problem_with(const std::vector<int>& physical) const {
    if (physical.size() > max_devices) return "at most " + std::to_string(max_devices) + " devices";
    for (const int gpu : physical) {
      if (gpu < 0 || gpu >= found_) {
        return "there is no GPU " + std::to_string(gpu) + "; " + std::to_string(found_) +
               (found_ == 1 ? " GPU was found" : " GPUs were found") + (found_ == 0 ? ": " + found_reason_ : "");
      }
    }
    return {};
  }

  static bool parse(std::string_view list, std::vector<int>& out) {
    int number = -1;
    for (const char c : list) {
      if (c == ',') {
        if (number < 0) return false;
        out.push_back(std::exchange(number, -1));
      } else if (c >= '0' && c <= '9' && number < 100000) {
        number = (number < 0 ? 0 : number * 10) + (c - '0');
      } else {
        return false;
      }
    }
    if (number < 0) return false;
    out.push_back(number);
    return true;
  }

  std::mutex mutex_;
  std::vector<int> physical_;
  std::string reason_;        // why `physical_` has no more
  std::string found_reason_;  // why CUDA found no more GPUs
  int found_ = 0;
  bool asked_ = false;
  bool made_ = false;
  bool used_ = false;
};

}  // namespace detail

/// The number of GPUs that this process can use: those found, or those listed in `SITU_CUDA_DEVICES` or `set_devices`.
[[nodiscard]] inline int device_count() noexcept {
  try {
    return detail::DeviceMap::instance().count();
  } catch (...) {
    return 0;
  }
}

/// The reason for the value of `device_count`, for error messages.
[[nodiscard]] inline std::string unavailable_reason() { return detail::DeviceMap::instance().reason(); }

/// Makes `Cuda<0>`, `Cuda<1>`, ... the GPUs of the machine with these ordinals. A GPU listed more than once becomes as
/// many devices, each with its own memory pool and streams: `set_devices({0, 0})` runs a program for two GPUs on one.
/// The environment variable `SITU_CUDA_DEVICES=0,0` does the same. Throws `ValueError` for a GPU that does not exist,
/// and if a GPU is in use already.
inline void set_devices(std::vector<int> physical) { detail::DeviceMap::instance().set(std::move(physical)); }

#else

[[nodiscard]] inline int device_count() noexcept { return 0; }
[[nodiscard]] inline std::string unavailable_reason() { return "this build has no CUDA backend"; }

#endif

/// Throws `DeviceUnavailable` with the number of GPUs found and the reason.
[[noreturn]] inline void fail_unavailable(int ordinal, const std::string& name) {
  const int found = device_count();
  throw DeviceUnavailable(name + " is not available: " + std::to_string(found) +
                          (found == 1 ? " GPU found" : " GPUs found") + "; " + unavailable_reason() + "; try_gpu<" +
                          std::to_string(ordinal) + ">() falls back to the CPU");
}

}  // namespace situ::internal::cuda

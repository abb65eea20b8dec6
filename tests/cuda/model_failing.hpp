// SPDX-License-Identifier: Apache-2.0
// Makes the calls of CUDA fail that the steps of model.hpp ask for; emulated only.
#pragma once

#include <cstdint>

#include <situ/situ.hpp>

#include "model.hpp"

namespace model {

#if defined(SITU_CUDA_EMULATED)
/// The failure that a step asks for, until it dies; of calls of CUDA by any thread.
class Failing {
 public:
  explicit Failing(const Step& step) : call_(call_of(step.fails)) { set(step.fails_after); }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;
  ~Failing() { set(-1); }

 private:
  using Call = situ::internal::cuda::emulated::Call;

  static Call call_of(Fails fails) {
    switch (fails) {
      case Fails::create: return Call::create;
      case Fails::synchronize: return Call::synchronize;
      case Fails::query: return Call::query;
      case Fails::record: return Call::record;
      case Fails::wait: return Call::wait;
      case Fails::allocate: return Call::allocate;
      case Fails::allocate_host: return Call::allocate_host;
      case Fails::copy: return Call::copy;
      case Fails::launch: return Call::launch;
      default: return Call::none;
    }
  }
  void set(std::int64_t after) const {
    const bool memory = call_ == Call::allocate || call_ == Call::allocate_host;
    const auto error = memory ? situ::internal::cuda::api::out_of_memory : situ::internal::cuda::api::invalid_value;
    if (call_ != Call::none) situ::internal::cuda::emulated::fail_after(call_, after, error);
  }

  Call call_;
};
#else
struct Failing {
  explicit Failing(const Step&) {}
};
#endif

}  // namespace model

// SPDX-License-Identifier: Apache-2.0
// Fails the first allocation of a call, then the second, and so on, until the call passes. Whatever failed: an error
// that says so, nothing leaked, what the call was to change as before, and the next call works. A call that did without the
// memory has written what it writes otherwise.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

#include <situ/emulation/control.hpp>
#include <situ/situ.hpp>

#include "calls.hpp"
#include "counted.hpp"

namespace walk {

/// The bytes and objects that are held, after all work is done and with nothing kept for reuse.
struct Held {
  std::int64_t objects = 0;
  std::array<std::size_t, 4> bytes{};  // of each pool
  friend bool operator==(const Held&, const Held&) = default;
};
inline Held held() {
  synchronize(gpu<0>);
  synchronize(gpu<1>);
  empty_cache<Cpu>();
  empty_cache<Pinned>();
  empty_cache<Cuda<0>>();
  empty_cache<Cuda<1>>();
  return {counted::live(), {memory_stats<Cpu>().in_use, memory_stats<Pinned>().in_use, memory_stats<Cuda<0>>().in_use,
                            memory_stats<Cuda<1>>().in_use}};
}

/// Takes the error that a kernel left for the next wait, which a call did not come to.
inline void take_late_error() {
  try {
    synchronize(gpu<0>);
  } catch (const IndexError&) {
  } catch (const LinAlgError&) {
  }
}

/// What became of a call.
enum class Outcome { passed, no_memory, another_error };

/// The text of an error, in memory that is there.
struct Said {
  char text[400] = "";
  void set(const char* of, const char* what) noexcept { std::snprintf(text, sizeof text, "%s: %s", of, what); }
};

template <Device D>
Outcome outcome_of(const Call<D>& call, Operands<D>& operands, Said& said) {
  try {
    call.make(operands);
    return Outcome::passed;
  } catch (const std::bad_alloc&) {
    return Outcome::no_memory;
  } catch (const OutOfMemory&) {
    return Outcome::no_memory;
  } catch (const CudaError& error) {  // of what CUDA itself could not make, a stream or an event
    if (error.name() == "cudaErrorMemoryAllocation") return Outcome::no_memory;
    said.set("CudaError", error.what());
  } catch (const std::exception& error) {
    said.set(typeid(error).name(), error.what());
  }
  return Outcome::another_error;
}

/// A way to fail: `arm(n)` gives an object while which the allocation behind `n` others fails, with `fired()`.
template <Device D, class Arm>
void walk_over(const Call<D>& call, const char* way, bool in_new_thread, const Arm& arm) {
  INFO(std::string(call.name), ", ", std::string(way));
  Said said;
  std::vector<float> undisturbed;
  {  // what is made once in a process or a thread is there from now on
    Operands<D> operands;
    const bool passes = outcome_of(call, operands, said) == Outcome::passed;
    CHECK_MESSAGE(passes, said.text);
    if (!passes) return;
    undisturbed = operands.written();
  }
  Held before = held();
  bool again = false;  // the same failure: what is held after it was made once, or is lost each time
  constexpr std::int64_t most = 3000;
  for (std::int64_t n = 0; n < most; n += again ? 0 : 1) {
    CAPTURE(n);
    bool fired = false;
    Outcome outcome = Outcome::passed;
    {
      Operands<D> operands;
      const std::vector<float> unchanged = operands.written();
      const auto run = [&] {
        const auto failure = arm(n);
        outcome = outcome_of(call, operands, said);
        fired = failure.fired();
      };
      if (in_new_thread && call.in_new_threads) std::thread(run).join();
      else run();
      if (outcome == Outcome::no_memory) take_late_error();
      CHECK_MESSAGE(outcome != Outcome::another_error, said.text);
      if (outcome == Outcome::no_memory) {
        CHECK(fired);
        CHECK(operands.written() == unchanged);
      } else if (outcome == Outcome::passed) {
        CHECK(operands.written() == undisturbed);  // also of a call that did without
      }
    }
    const Held after = held();
    if (again && !call.keeps) {
      CHECK(after.objects <= before.objects);  // fewer: what the failure before had kept until the next work
      CHECK(after.bytes == before.bytes);
    }
    again = !again && !(after == before);
    before = after;
    if (!fired && !again) return;
    Operands<D> operands;
    CHECK_MESSAGE(outcome_of(call, operands, said) == Outcome::passed, said.text);
  }
  FAIL_CHECK("still failing after " << most << " allocations");
}

/// A failure of a call of the runtime, until it dies.
class OfRuntime {
 public:
  OfRuntime(internal::cuda::emulated::Call call, std::int64_t n) : call_(call) {
    internal::cuda::emulated::fail_after(call, n, internal::cuda::emulated::ErrorCode::out_of_memory);
  }
  OfRuntime(const OfRuntime&) = delete;
  OfRuntime& operator=(const OfRuntime&) = delete;
  ~OfRuntime() { internal::cuda::emulated::fail_after(call_, -1); }
  [[nodiscard]] bool fired() const { return internal::cuda::emulated::detail::failures[static_cast<int>(call_)].after < 0; }

 private:
  internal::cuda::emulated::Call call_;
};

/// Every call on a device. In a new thread nothing is kept of the calls before.
template <Device D>
void operator_new_fails(counted::Then then) {
  for (const Call<D>& call : calls<D>()) {
    walk_over(call, then == counted::Then::fail_once ? "operator new, once" : "operator new, from then on", /*in_new_thread=*/true,
              [then](std::int64_t n) { return counted::Failure(n, then); });
  }
}
template <Device D>
void a_pool_has_no_more() {
  using internal::memory::fail_allocation_after;
  for (const Call<D>& call : calls<D>()) {
    walk_over(call, "pool of Cpu", false, [](std::int64_t n) { return fail_allocation_after<Cpu>(n); });
    walk_over(call, "pool of Pinned", false, [](std::int64_t n) { return fail_allocation_after<Pinned>(n); });
    walk_over(call, "pool of Cuda<0>", false, [](std::int64_t n) { return fail_allocation_after<Cuda<0>>(n); });
  }
}
template <Device D>
void the_runtime_has_no_more() {
  using internal::cuda::emulated::Call;
  for (const walk::Call<D>& call : calls<D>()) {
    walk_over(call, "memory of a GPU", true, [](std::int64_t n) { return OfRuntime(Call::allocate, n); });
    walk_over(call, "pinned memory", true, [](std::int64_t n) { return OfRuntime(Call::allocate_host, n); });
    walk_over(call, "streams and events", true, [](std::int64_t n) { return OfRuntime(Call::create, n); });
  }
}

}  // namespace walk

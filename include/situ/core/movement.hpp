// SPDX-License-Identifier: Apache-2.0
// Reports bytes that move between devices, and the host's waits, to an observer (situ/ledger.hpp). Usually there is no
// observer: then each of these objects costs one load and a comparison.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

#include <situ/core/call_site.hpp>

namespace situ::internal::movement {

/// The name of a device: a function, since only an observer needs the name.
using DeviceName = std::string (*)();
template <class D>
[[nodiscard]] std::string name_of() {
  return std::string(D::name());
}

/// A call that moves bytes between devices, or makes the host wait.
struct Movement {
  const char* operation;
  DeviceName from;
  DeviceName to;
  std::size_t bytes;
  CallSite site;
  bool host_waits;
  bool beside = false;  // done by a library thread for a call of the program, see `Beside`
  // the observer's
  std::int64_t began = 0;
  std::int32_t place = -1;
};

/// Never destroyed: a thread may still report to it after it was removed.
class Observer {
 public:
  /// Called before anything is done; if it throws, nothing is done.
  virtual void begins(Movement& movement) = 0;
  virtual void ends(const Movement& movement, bool completed) noexcept = 0;
  /// Returns the time.
  [[nodiscard]] virtual std::int64_t wait_begins() noexcept = 0;
  /// `within`: the call that waits; may be null.
  virtual void wait_ends(std::int64_t began, const Movement* within) noexcept = 0;
  /// Bytes that a pool allocated from its device, or released (negative).
  virtual void memory(DeviceName device, std::int64_t bytes) noexcept = 0;

 protected:
  ~Observer() = default;
};

namespace detail {
inline constinit std::atomic<Observer*> observer{nullptr};
/// The outermost call that this thread is in.
inline constinit thread_local Movement* current = nullptr;
/// The larger call under whose name this thread's calls are reported.
struct Whole {
  const char* operation;
  CallSite site;
};
inline constinit thread_local const Whole* whole = nullptr;
}  // namespace detail

[[nodiscard]] inline Observer* observer() noexcept { return detail::observer.load(std::memory_order_acquire); }

/// A scope around such a call. A call within another is part of the outer one and not reported.
class [[nodiscard]] Crossing {
 public:
  Crossing(const char* operation, DeviceName from, DeviceName to, std::size_t bytes, bool host_waits, CallSite site)
      : observer_(observer()) {
    if (observer_ != nullptr) [[unlikely]]
      begin({operation, from, to, bytes, site, host_waits, /*beside=*/false});
  }
  Crossing(const Crossing&) = delete;
  Crossing& operator=(const Crossing&) = delete;
  ~Crossing() {
    if (observer_ != nullptr) [[unlikely]]
      end();
  }

  /// The observer's number for this call; -1 without an observer.
  [[nodiscard]] std::int32_t place() const noexcept { return observer_ != nullptr ? movement_.place : -1; }

 private:
  [[gnu::noinline]] void begin(const Movement& movement) {
    if (detail::current != nullptr) {
      observer_ = nullptr;
      return;
    }
    movement_ = movement;
    if (detail::whole != nullptr) {
      movement_.operation = detail::whole->operation;
      movement_.site = detail::whole->site;
    }
    exceptions_ = std::uncaught_exceptions();
    observer_->begins(movement_);
    detail::current = &movement_;
  }
  [[gnu::noinline]] void end() noexcept {
    detail::current = nullptr;
    observer_->ends(movement_, std::uncaught_exceptions() == exceptions_);
  }

  Observer* observer_;
  Movement movement_;  // both unused without an observer
  int exceptions_;
};

/// The same, between two devices given by their types.
template <class From, class To>
class [[nodiscard]] CrossingBetween : public Crossing {
 public:
  CrossingBetween(const char* operation, std::size_t bytes, bool host_waits, CallSite site)
      : Crossing(operation, &name_of<From>, &name_of<To>, bytes, host_waits, site) {}
};

/// A scope around a call composed of others, such as a collective: each of them is reported, with its devices and
/// bytes, under the name of this one.
class [[nodiscard]] WholeCall {
 public:
  WholeCall(const char* operation, CallSite site) noexcept : whole_{operation, site} {
    if (detail::whole != nullptr || observer() == nullptr) [[likely]]
      return;
    detail::whole = &whole_;
  }
  WholeCall(const WholeCall&) = delete;
  WholeCall& operator=(const WholeCall&) = delete;
  ~WholeCall() {
    if (detail::whole == &whole_) [[unlikely]]
      detail::whole = nullptr;
  }

 private:
  detail::Whole whole_;
};

/// A scope around the work of a library thread for a call of the program that was already reported and did not wait:
/// bytes moved here belong to that call, and waits are this thread's, not the program's.
class [[nodiscard]] Beside {
 public:
  /// `place`: from that call's `Crossing`.
  explicit Beside(std::int32_t place) noexcept : observer_(observer()) {
    movement_.place = place;
    detail::current = &movement_;
    if (observer_ != nullptr) [[unlikely]]
      movement_.began = observer_->wait_begins();
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  ~Beside() {
    detail::current = nullptr;
    if (observer_ != nullptr) [[unlikely]]
      observer_->ends(movement_, true);
  }

 private:
  Observer* observer_;
  Movement movement_{
      .operation = "", .from = nullptr, .to = nullptr, .bytes = 0, .site = {}, .host_waits = false, .beside = true};
};

/// A scope around a wait of the host.
class [[nodiscard]] HostWait {
 public:
  HostWait() noexcept : observer_(observer()) {
    if (observer_ != nullptr) [[unlikely]]
      began_ = observer_->wait_begins();
  }
  HostWait(const HostWait&) = delete;
  HostWait& operator=(const HostWait&) = delete;
  ~HostWait() {
    if (observer_ != nullptr) [[unlikely]]
      observer_->wait_ends(began_, detail::current);
  }

 private:
  Observer* observer_;
  std::int64_t began_ = 0;
};

/// Reports bytes that a pool allocated from its device, or released (negative).
inline void tell_memory(DeviceName device, std::int64_t bytes) noexcept {
  if (Observer* const told = observer()) [[unlikely]]
    told->memory(device, bytes);
}

}  // namespace situ::internal::movement

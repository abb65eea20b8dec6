// SPDX-License-Identifier: Apache-2.0
// `Pending`: a tensor on its way to another device, the result of `to_async`.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/error.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/profile_range.hpp>
#include <situ/core/shape.hpp>
#include <situ/memory/storage.hpp>
#include <situ/tensor/diagnostics.hpp>
#include <situ/tensor/fwd.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// A handle to a block on any device, which only keeps it alive.
class KeptStorage {
 public:
  KeptStorage() noexcept = default;
  template <Device D>
  explicit KeptStorage(const Storage<D>& storage)
      : release_([](void* place) noexcept { static_cast<Storage<D>*>(place)->~Storage(); }) {
    static_assert(sizeof(Storage<D>) == sizeof(place_) && alignof(Storage<D>) <= alignof(void*));
    ::new (static_cast<void*>(place_)) Storage<D>(storage);
  }
  KeptStorage(KeptStorage&& other) noexcept { swap(other); }
  KeptStorage& operator=(KeptStorage&& other) noexcept {
    KeptStorage(std::move(other)).swap(*this);
    return *this;
  }
  ~KeptStorage() {
    if (release_ != nullptr) release_(place_);
  }

  // A storage is a pointer, whose bytes may be moved.
  void swap(KeptStorage& other) noexcept {
    std::swap(place_, other.place_);
    std::swap(release_, other.release_);
  }

 private:
  alignas(void*) std::byte place_[sizeof(void*)]{};
  void (*release_)(void*) noexcept = nullptr;
};

/// The operators that a tensor has and a `Pending` does not: using one does not compile, and the error names the fix.
class PendingGuards {
  using Fix = a_pending_tensor_is_not_there_yet::fix_call_std_move_and_wait;
  template <class L>
  static constexpr bool not_pending = !requires { typename L::pending_type; };

  template <class R>
  friend void operator+(Fix, const R&) {}
  template <class R>
  friend void operator-(Fix, const R&) {}
  template <class R>
  friend void operator*(Fix, const R&) {}
  template <class R>
  friend void operator/(Fix, const R&) {}
  template <class L>
    requires not_pending<L>
  friend void operator+(const L&, Fix) {}
  template <class L>
    requires not_pending<L>
  friend void operator-(const L&, Fix) {}
  template <class L>
    requires not_pending<L>
  friend void operator*(const L&, Fix) {}
  template <class L>
    requires not_pending<L>
  friend void operator/(const L&, Fix) {}
  template <class... Rest>
  friend void print(Fix, const Rest&...) {}
  template <class... Rest>
  friend void sum(Fix, const Rest&...) {}
  template <class... Rest>
  friend void mean(Fix, const Rest&...) {}
  template <class... Rest>
  friend void matmul(Fix, const Rest&...) {}
  template <class L>
  friend void operator+=(L&&, Fix) {}
  template <class L>
  friend void operator-=(L&&, Fix) {}
  template <class L>
  friend void operator*=(L&&, Fix) {}
  template <class L>
  friend void operator/=(L&&, Fix) {}
};

/// What `Pending` waits for. Empty for devices without asynchronous copies, so that generic code may name the type.
template <class D>
struct CopyInFlight {
  struct type {};
};
template <class D>
  requires asynchronous<D>
struct CopyInFlight<D> {
  using type = typename D::copy_in_flight;
};

}  // namespace internal

/// A tensor on its way. It has no elements yet and is not an operand; `wait` returns the tensor. The copy has the
/// elements at the time of `to_async`: the source may be overwritten, moved or destroyed at once. A `Pending` may be
/// dropped at any time, and waited for in another thread than the one that made it, but used by one thread at a time.
///
///     Pending next = batch.to_async<Cuda<0>>();          // Pending<Tensor<float, Cuda<0>>>
///     Tensor y = matmul(x, w);                           // meanwhile
///     x = std::move(next).wait();
template <class X>
class Pending : public internal::PendingGuards {
  using Copy = typename internal::CopyInFlight<typename X::device_type>::type;

 public:
  using pending_type = X;
  using device_type = typename X::device_type;
  using value_type = typename X::value_type;

  /// For the library: `tensor`, which has no other holder, is complete when `copy`, which reads `source`, has finished.
  Pending(X tensor, internal::KeptStorage source, Copy copy) noexcept
      : tensor_(std::move(tensor)), source_(std::move(source)), copy_(std::move(copy)) {}

  Pending(Pending&& other) noexcept
      : tensor_(std::move(other.tensor_)),
        source_(std::move(other.source_)),
        copy_(std::exchange(other.copy_, {})),
        valid_(std::exchange(other.valid_, false)) {}
  Pending& operator=(Pending&& other) noexcept {
    Pending taken(std::move(other));
    tensor_.swap(taken.tensor_);
    source_.swap(taken.source_);
    std::swap(copy_, taken.copy_);
    std::swap(valid_, taken.valid_);
    return *this;
  }

  /// Whether there is a tensor to wait for: until `wait` has returned it, or the object was moved from.
  [[nodiscard]] bool valid() const noexcept { return valid_; }

  /// The tensor's shape. Throws `PendingError` if it is not valid.
  [[nodiscard]] const Shape& shape() const {
    require_valid("shape");
    return tensor_.shape();
  }

  /// Whether the elements have arrived, so that `wait` would not wait. Does not wait. Throws `PendingError` if it is
  /// not valid, `CudaError` if the copy failed.
  [[nodiscard]] bool ready() const {
    require_valid("ready");
    return copy_.over();
  }

  /// The tensor, once: `std::move(pending).wait()`. If it goes to a GPU, this thread's stream of that GPU waits, and
  /// the host does not. If it goes to `Pinned`, the host waits for the bytes.
  ///
  /// Errors of the copy surface here: `CudaError`; into `Pinned` also the `IndexError` of an earlier kernel that found
  /// an index out of range. Throws `PendingError` if it was already waited for or moved from. On an exception the
  /// object is unchanged.
  [[nodiscard]] X wait(CallSite site = CallSite::here()) && {
    require_valid("wait");
    if (copy_) {
      // its bytes were counted by `to_async`
      const internal::movement::CrossingBetween<device_type, device_type> crossing("wait", 0, HostDevice<device_type>,
                                                                                   site);
      const ProfileRange profile("wait");
      if constexpr (HostDevice<device_type>) copy_.finish(tensor_.storage().word());
      else copy_.join(tensor_.storage().word());
    }
    valid_ = false;
    copy_ = {};
    source_ = {};
    return std::move(tensor_);
  }
  /// Returned once, and the call shows it: `std::move(pending).wait()`.
  template <class Fix = a_pending_tensor_is_not_there_yet::fix_call_std_move_and_wait>
  X wait() & = delete;

  // These do not compile before the wait, and the error names the fix.
  template <class Fix = a_pending_tensor_is_not_there_yet::fix_call_std_move_and_wait>
  operator X() const = delete;
  static constexpr a_pending_tensor_is_not_there_yet::fix_call_std_move_and_wait data{};
  static constexpr a_pending_tensor_is_not_there_yet::fix_call_std_move_and_wait span{};
  static constexpr a_pending_tensor_is_not_there_yet::fix_call_std_move_and_wait item{};

 private:
  void require_valid(const char* call) const {
    if (valid_) return;
    throw PendingError(
        std::string(call) + " of a Pending of " + device_type::name() +
        " that has no tensor any more: it was waited for or moved from; keep the tensor that wait() returned");
  }

  X tensor_;
  internal::KeptStorage source_;
  Copy copy_;
  bool valid_ = true;
};

}  // namespace situ

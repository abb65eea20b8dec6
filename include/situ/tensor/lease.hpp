// SPDX-License-Identifier: Apache-2.0
// `Lease`: raw mutable access to a tensor's elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/memory/storage.hpp>
#include <situ/tensor/device_pointer.hpp>
#include <situ/tensor/diagnostics.hpp>
#include <situ/tensor/fwd.hpp>

namespace situ {

namespace internal {

/// Base of `Lease<T, D>` with access to its elements on the host.
template <class T, class D, bool HostWrites>
class LeaseAccess {
  using Fix = pointer_into_a_temporary_lease::fix_give_the_lease_a_name;

 public:
  /// The first element. Deleted on temporaries, like the others: a pointer is valid while the lease lives.
  [[nodiscard]] T* data() const& noexcept { return self().first_element(); }
  Fix data() const&& = delete;

  /// All elements, in row-major order.
  [[nodiscard]] std::span<T> span() const& noexcept { return {data(), static_cast<std::size_t>(self().size())}; }
  Fix span() const&& = delete;

  [[nodiscard]] T* begin() const& noexcept { return data(); }
  [[nodiscard]] T* end() const& noexcept { return data() + self().size(); }
  Fix begin() const&& = delete;
  Fix end() const&& = delete;

 private:
  const Lease<T, D>& self() const noexcept { return static_cast<const Lease<T, D>&>(*this); }
};

/// The same for memory that the host cannot write: the names exist to be rejected.
template <class T, class D>
class LeaseAccess<T, D, false> {
  using Fix = typename the_host_cannot_write_memory_of<D>::fix_call_device_data_for_a_kernel;

 public:
  static constexpr Fix data{};
  static constexpr Fix span{};
  // Functions, because for objects nvcc says "no suitable begin function"; one error is enough.
  template <class Message = Fix>
  T* begin() const = delete;
  T* end() const;

  /// The first element, for kernels that the program puts into this thread's stream (`Stream<D>::current()`) from now
  /// on. `launch_on` is the safe way to such a stream.
  [[nodiscard]] DevicePointer<T, D> device_data() const& {
    const auto& lease = static_cast<const Lease<T, D>&>(*this);
    if constexpr (requires { D::queue(); }) {
      if (lease.storage_) before_write(D::queue(), lease.storage_, {dtype_name<T>(), &lease.shape()});
    }
    return DevicePointer<T, D>(lease.first_element());
  }
  pointer_into_a_temporary_lease::fix_give_the_lease_a_name device_data() const&& = delete;
};

/// `element` and `device` of a named lease. Empty for a temporary one.
template <class L>
struct LeasedBy;
template <class T, class D>
struct LeasedBy<Lease<T, D>&> {
  using element = T;
  using device = D;
};
template <class T, class D>
struct LeasedBy<const Lease<T, D>&> : LeasedBy<Lease<T, D>&> {};

}  // namespace internal

/// Raw mutable access: `auto w = x.write();` moves the storage out of `x` until `w` dies, so that `x` cannot be copied
/// while the pointer is in use, and a pointer taken before a copy cannot change the copy. Using `x` meanwhile throws
/// `LeaseError`; moving or destroying it is allowed. The elements are in row-major order without gaps.
///
///     { auto w = x.write(); std::iota(w.begin(), w.end(), 0.f); }   // x has its elements back here
///
/// On a host device it has `data()`, `span()`, `begin()` and `end()`; on a GPU `device_data()`, which kernels take and
/// the host cannot dereference. A lease without a name ends with the statement: `x.write().data()` does not compile.
template <Element T, Device D>
class Lease : public internal::LeaseAccess<T, D, HostDevice<D>> {
 public:
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  ~Lease() {
    if (owner_ != nullptr) owner_->end_lease(*this);
  }

  [[nodiscard]] const Shape& shape() const& noexcept { return shape_; }
  [[nodiscard]] Shape shape() const&& noexcept { return shape_; }
  [[nodiscard]] std::int64_t size() const noexcept { return shape_.count(); }

 private:
  friend class Tensor<T, D>;
  friend class internal::LeaseAccess<T, D, HostDevice<D>>;

  [[nodiscard]] T* first_element() const noexcept {
    return storage_ ? static_cast<T*>(storage_.data()) + offset_ : nullptr;
  }

  // gcc 12 mistakes a function that fills a tensor through a lease and returns it for one that returns a pointer to the
  // lease; the destructor has removed that pointer by then.
#if defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdangling-pointer"
#endif
  explicit Lease(Tensor<T, D>& owner) noexcept
      : owner_(&owner),
        storage_(std::move(owner.storage_)),
        shape_(owner.layout_.shape),
        offset_(owner.layout_.offset) {
    owner.lease_ = this;
  }
#if defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

  Tensor<T, D>* owner_;  // follows the tensor when it is moved; null once it is destroyed
  internal::Storage<D> storage_;
  Shape shape_;
  std::int64_t offset_;
};

}  // namespace situ

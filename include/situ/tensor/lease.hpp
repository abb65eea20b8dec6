// SPDX-License-Identifier: Apache-2.0
// `Lease`: raw mutable access to a tensor's elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <situ/core/shape.hpp>
#include <situ/memory/storage.hpp>
#include <situ/tensor/fwd.hpp>

namespace situ {

/// Raw mutable access: `auto w = x.write();` moves the storage out of `x` until `w` dies, so that no copy of `x` can be
/// taken while the pointer is in use, and a pointer taken before a copy cannot change the copy. Using `x` meanwhile
/// throws `LeaseError`; moving or destroying it is allowed. The elements lie in row-major order without gaps.
///
///     { auto w = x.write(); std::iota(w.begin(), w.end(), 0.f); }   // x has its elements back here
template <Element T, Device D>
class Lease {
 public:
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  ~Lease() {
    if (owner_ != nullptr) owner_->end_lease(*this);
  }

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::int64_t size() const noexcept { return shape_.count(); }

  /// The first element, in the memory of device `D`: a host pointer for host devices, else one for its kernels.
  [[nodiscard]] T* data() const noexcept {
    return storage_ ? static_cast<T*>(storage_.data()) + offset_ : nullptr;
  }

  /// All elements, in row-major order.
  [[nodiscard]] std::span<T> span() const noexcept
    requires HostDevice<D>
  {
    return {data(), static_cast<std::size_t>(size())};
  }
  [[nodiscard]] T* begin() const noexcept
    requires HostDevice<D>
  {
    return data();
  }
  [[nodiscard]] T* end() const noexcept
    requires HostDevice<D>
  {
    return data() + size();
  }

 private:
  friend class Tensor<T, D>;

  // gcc 12 takes a function that fills a tensor through a lease and returns it for one that returns a pointer to the
  // lease; the destructor has taken that back by then.
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
  Storage<D> storage_;
  Shape shape_;
  std::int64_t offset_;
};

}  // namespace situ

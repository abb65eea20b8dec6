// SPDX-License-Identifier: Apache-2.0
// `Tensor<T, Device>`: a value with a shape, whose elements live on a device that is part of its type.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/device/foreign.hpp>
#include <situ/memory/storage.hpp>
#include <situ/tensor/allocate.hpp>
#include <situ/tensor/diagnostics.hpp>
#include <situ/tensor/fwd.hpp>
#include <situ/tensor/host_access.hpp>
#include <situ/tensor/index.hpp>
#include <situ/tensor/indexable.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/lease.hpp>
#include <situ/tensor/slot.hpp>

namespace situ {

/// A dense array of `T` on device `D`, of rank 0 to `max_rank`. It is a value: a copy costs a few nanoseconds and
/// shares storage, and the first write to shared storage copies it, so sharing is never observable. Slices, transposes
/// and broadcasts are tensors too. Different threads may use distinct tensors even if they share storage; many threads
/// may read one tensor.
///
///     Tensor x = tensor({{1.f, 2.f}, {3.f, 4.f}});   // Tensor<float, Cpu>
///     Tensor y = x;                                  // shares
///     y.at(0, 1) = 7.f;                              // y has its own elements now; x is unchanged
///     Tensor row = x(0, all);                        // shares; shape (2,)
template <Element T, Device D>
class alignas(16) Tensor : public placed<T, D>,
                           public Indexable<Tensor<T, D>>,
                           public HasSlots<T, D>,
                           public HostAccess<T, D, HostDevice<D>> {
  static_assert(
      internal::element_is_read<T>,
      "complex elements are std::complex<float> and std::complex<double>; fix: #include <situ/complex.hpp> before "
      "the first tensor of them");

 public:
  using value_type = T;
  using device_type = D;
  using HostAccess<T, D, HostDevice<D>>::operator();
  using HostAccess<T, D, HostDevice<D>>::at;
  using HasSlots<T, D>::at;
  using Indexable<Tensor>::operator();

  /// An empty tensor of shape (0,).
  Tensor() noexcept = default;

  /// A tensor over existing storage; for the library and for backends. The layout must be within the storage.
  Tensor(internal::Storage<D> storage, const Layout& layout) noexcept : storage_(std::move(storage)), layout_(layout) {}
  /// The same for elements in row-major order. (Not copied from a new layout: a copy would wait for its stores.)
  Tensor(internal::Storage<D> storage, const Shape& shape) noexcept
      : storage_(std::move(storage)), layout_(Layout::row_major(shape)) {}

  /// Shares the storage. Throws `LeaseError` while `other` is leased, `ValueError` if it was moved from.
  Tensor(const Tensor& other) : storage_(other.storage()), layout_(other.layout_) {}

  /// Takes the storage. `other` can be assigned to; reading it, its shape too, throws `ValueError`.
  Tensor(Tensor&& other) noexcept
      : storage_(std::move(other.storage_)), lease_(std::exchange(other.lease_, gone())), layout_(other.layout_) {
    if (leased()) lease_->owner_ = this;
  }

  /// Evaluates an expression of this element type and device. Throws `OutOfMemory`. (The other argument is the call
  /// site, which a `NumberCheck` names.)
  template <class E>
    requires EvaluableTo<E, T, D>
  Tensor(const E& expression, internal::EvaluationSite site = internal::EvaluationSite::here())
      : storage_(internal::allocate_elements<T, D>(expression.shape())),
        layout_(Layout::row_major(expression.shape())) {
    assign(storage_, layout_, expression, site);
  }

  /// The part that a slot selects, sharing storage.
  Tensor(const Slot<T, D>& slot) : Tensor(slot.tensor()) {}

  /// An operand that records gradients: does not compile; the tensor would lose them.
  template <Recorded E,
            class Fix = typename a_tensor_would_lose_the_gradient<T, D>::fix_make_it_a_Variable_or_call_no_grad>
    requires std::same_as<value_type_t<E>, T> && std::same_as<device_t<E>, D>
  Tensor(const E&) = delete;

  /// Another device: does not compile; the error names both and the fix.
  template <class Other, class Fix = typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>>
    requires(!std::same_as<Other, D>)
  Tensor(const on_device<Other>&) = delete;
  template <class Fix = a_spread_value_is_on_no_one_device::fix_call_gather>
  Tensor(const spread_value&) = delete;

  /// Another element type: does not compile; the error names both and the fix.
  template <class Other, class Fix = typename element_types_differ<T, D>::template fix_call_cast<T>>
    requires(!std::same_as<Other, T>)
  Tensor(const placed<Other, D>&) = delete;

  /// An expression of another library: does not compile; the error says how to compute it.
  template <internal::ForeignOperand E, class Fix = internal::foreign_fix_t<E>>
  Tensor(const E&) = delete;

  /// A scalar: does not compile; `full(shape, value)` makes a tensor of it, `x.at(all) = value` assigns it to all
  /// elements.
  template <internal::ScalarOperand S, class Fix = a_scalar_is_not_a_tensor::fix_call_full>
  Tensor(S) = delete;

  /// A shape: does not compile; `zeros(shape)`, `empty(shape)` and others make a tensor of one.
  template <class Fix = a_tensor_of_a_shape_is_made_by_a_function::fix_call_zeros_or_empty>
  Tensor(const Shape&) = delete;

  Tensor& operator=(const Tensor& other) & {
    if (this != &other) {
      require_not_leased();
      Tensor copy = other;
      swap(copy);
    }
    return *this;
  }
  Tensor& operator=(Tensor&& other) & {
    require_not_leased();
    Tensor taken = std::move(other);
    swap(taken);
    return *this;
  }

  /// Evaluates the expression. Writes in place if the storage has no other holders than this tensor and operands of the
  /// expression that read it with the same layout; otherwise into new storage. On any exception the tensor is
  /// unchanged.
  template <class E>
    requires EvaluableTo<E, T, D>
  Tensor& operator=(E&& expression) & {
    assign(*this, std::forward<E>(expression));
    return *this;
  }

  ~Tensor() {
    if (leased()) lease_->owner_ = nullptr;
  }

  void swap(Tensor& other) noexcept {
    std::swap(storage_, other.storage_);
    std::swap(layout_, other.layout_);
    std::swap(lease_, other.lease_);
    if (leased()) lease_->owner_ = this;
    if (other.leased()) other.lease_->owner_ = &other;
  }
  friend void swap(Tensor& a, Tensor& b) noexcept { a.swap(b); }

  /// A guard, never defined: assigning to a temporary view.
  Tensor& operator=(typename assigning_to_a_temporary_view_changes_nothing<T>::fix_use_dot_at) &&;

  /// The extents. Throws `ValueError` if the tensor was moved from, as does any read.
  [[nodiscard]] const Shape& shape() const { return layout().shape; }
  [[nodiscard]] int rank() const { return shape().rank(); }
  /// The number of elements.
  [[nodiscard]] std::int64_t size() const { return shape().count(); }
  /// The extent of one axis; negative axes count from the end. Throws `IndexError`.
  [[nodiscard]] std::int64_t extent(std::int64_t axis) const {
    return shape()[internal::normalize_axis(axis, rank(), "extent")];
  }
  /// The distance between neighbors along an axis, in elements. Throws `IndexError`.
  [[nodiscard]] std::int64_t stride(std::int64_t axis) const {
    return layout_.stride(internal::normalize_axis(axis, rank(), "stride"));
  }
  [[nodiscard]] const Layout& layout() const {
    if (moved_from()) [[unlikely]]
      fail_moved_from();
    return layout_;
  }

  /// The part `x(all, range(0, 3), newaxis, 2)`, sharing storage; for `Indexable`.
  [[nodiscard]] Tensor part(const internal::IndexItems& items) const {
    return Tensor(storage(), internal::index_layout(layout(), items));
  }

  /// One element, on any device, as a tensor of rank 0 that shares storage. As many positions as the rank. Throws
  /// `IndexError`.
  ///
  ///     float v = x.element(0, 1).to(cpu).item();    // Tensor<float, Cuda<0>> x; the wait is visible
  template <Position... At>
  [[nodiscard]] Tensor element(At... positions) const {
    return Tensor(storage(), Layout{Shape{}, {}, internal::element_offset(layout(), positions...)});
  }

  /// Raw mutable access; see `Lease`. First makes a row-major copy of the elements if the storage is shared or the
  /// tensor is a view with gaps. Throws `LeaseError` if it is already leased.
  [[nodiscard]] Lease<T, D> write() & {
    make_unique(/*row_major=*/true);
    if constexpr (requires { D::queue(); }) {
      if (storage_)
        before_write(D::queue(), storage_, {dtype_name<T>(), &shape()});  // by kernels in this thread's stream
    }
    return Lease<T, D>(*this);
  }

  /// The tensor on device `To`: shares storage if that is `D`, otherwise copies. `x.to(gpu<0>)` is the same call.
  template <Device To>
  [[nodiscard]] Tensor<T, To> to(To = {}, CallSite site = CallSite::here()) const {
    return transfer<To>(*this, /*always_copy=*/false, site);
  }

  /// The tensor on device `To`, always in storage of its own.
  template <Device To>
  [[nodiscard]] Tensor<T, To> copy_to(To = {}, CallSite site = CallSite::here()) const {
    return transfer<To>(*this, /*always_copy=*/true, site);
  }

  /// A device known only at run time: does not compile; the error names `with_device`.
  Tensor to(the_device_is_known_at_run_time_only::fix_call_with_device) const;
  Tensor copy_to(the_device_is_known_at_run_time_only::fix_call_with_device) const;

  /// The tensor on its way to device `To`: a copy that overlaps other work of the host and the GPU. The program has no
  /// access to it before it waits. From pinned memory or a GPU to pinned memory or a GPU. If `To` is `D`, shares
  /// storage and is ready at once. Throws `OutOfMemory`, `DeviceUnavailable`, `CudaError`, `LeaseError`.
  ///
  ///     Pending next = batch.to_async<Cuda<0>>();       // Tensor<float, Pinned> batch; it may be overwritten at once
  ///     ...                                             // work on the one before
  ///     Tensor x = std::move(next).wait();              // Tensor<float, Cuda<0>>; see `Pending`
  template <Device To>
    requires(internal::asynchronous<D> && internal::asynchronous<To>)
  [[nodiscard]] Pending<Tensor<T, To>> to_async(To = {}, CallSite site = CallSite::here()) const {
    return transfer_async<To>(*this, site);
  }
  /// Pageable memory at either end: does not compile; the error names the fix.
  template <Device To, class Fix = internal::asynchronous_copy_fix<D, To>>
    requires(!(internal::asynchronous<D> && internal::asynchronous<To>))
  Pending<Tensor<T, To>> to_async(To = {}) const = delete;

  /// The storage; for the library and for backends. Throws `LeaseError` while leased, `ValueError` once moved from.
  [[nodiscard]] const internal::Storage<D>& storage() const {
    require_readable();
    return storage_;
  }
  /// Whether the elements went to another tensor by `std::move`, and none were assigned since.
  [[nodiscard]] bool moved_from() const noexcept { return lease_ == gone(); }
  /// The elements of the storage, `layout().offset` before the first element; null for an empty tensor.
  [[nodiscard]] const T* storage_elements() const { return static_cast<const T*>(storage().data()); }
  /// The first element, in the memory of `D`. For the library and for backends; `data()` is the host's.
  [[nodiscard]] const T* element_pointer() const {
    const T* elements = storage_elements();
    return elements == nullptr ? nullptr : elements + layout_.offset;
  }

  /// Makes this tensor the only holder of its storage, and row-major if asked, by copying its own elements if needed;
  /// counted in `memory_stats`. For the library and for backends.
  void make_unique(bool row_major) {
    require_readable();
    const bool lies_well = row_major ? layout_.is_row_major() : !layout_.overlaps_itself();
    if (size() == 0 || (storage_.unique() && storage_.idle() && lies_well)) return;
    *this = detached_copy(*this);
  }

 private:
  friend class Lease<T, D>;

  static constexpr Shape no_elements{0};

  /// Stands in for a lease in a moved-from tensor, so that one comparison tells whether the elements are there.
  [[nodiscard]] static Lease<T, D>* gone() noexcept { return reinterpret_cast<Lease<T, D>*>(std::uintptr_t{1}); }
  [[nodiscard]] bool leased() const noexcept { return lease_ != nullptr && lease_ != gone(); }

  void require_readable() const {
    if (lease_ == nullptr) return;
    require_not_leased();
    fail_moved_from();
  }
  [[noreturn]] static void fail_moved_from() {
    throw ValueError(std::string("the tensor of ") + std::string(dtype_name<T>()) + " on " + D::name() +
                     " was moved from: std::move gave its elements to another; assign to it before it is read");
  }
  void require_not_leased() const {
    if (leased()) {
      throw LeaseError("the tensor of shape " + layout_.shape.to_string() + " on " + D::name() +
                       " is leased: use the object that write() returned, which has its storage, or let it end first");
    }
  }

  void end_lease(Lease<T, D>& lease) noexcept {
    storage_ = std::move(lease.storage_);
    lease_ = nullptr;
  }

  // In this order, aligned to 16 bytes, no pair of extents or strides crosses a cache line: see `copy_axes`.
  internal::Storage<D> storage_;
  Lease<T, D>* lease_ = nullptr;  // the lease that has the storage, if any
  Layout layout_{no_elements, {}};
};

template <class E>
  requires Evaluable<E> || Recorded<E>
Tensor(E&&) -> Tensor<value_type_t<E>, device_t<E>>;

}  // namespace situ

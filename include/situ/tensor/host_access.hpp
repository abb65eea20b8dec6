// SPDX-License-Identifier: Apache-2.0
// The members that read elements on the host. They exist for host devices; on a GPU tensor each is an object whose call
// is deleted, so that the error names the device and `.to<Cpu>()`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>  // the tags of iterators too: <iterator> would bring those of streams
#include <string>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/tensor/device_pointer.hpp>
#include <situ/tensor/diagnostics.hpp>
#include <situ/tensor/fwd.hpp>
#include <situ/tensor/index.hpp>
#include <situ/tensor/layout.hpp>

namespace situ {

namespace internal {

/// Visits the elements of a tensor in row-major order, for any strides.
template <Element T>
class ElementIterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using reference = const T&;
  using pointer = const T*;
  using iterator_category = std::forward_iterator_tag;

  ElementIterator() = default;
  ElementIterator(const T* data, const Layout& layout, std::int64_t position) noexcept
      : current_(data), layout_(layout), position_(position) {}

  [[nodiscard]] reference operator*() const noexcept { return *current_; }

  ElementIterator& operator++() noexcept {
    ++position_;
    for (int axis = layout_.shape.rank() - 1; axis >= 0; --axis) {
      std::int64_t& index = index_[static_cast<std::size_t>(axis)];
      if (++index < layout_.shape[axis]) {
        current_ += layout_.stride(axis);
        return *this;
      }
      current_ -= (index - 1) * layout_.stride(axis);
      index = 0;
    }
    return *this;
  }
  ElementIterator operator++(int) noexcept {
    ElementIterator before = *this;
    ++*this;
    return before;
  }

  friend bool operator==(const ElementIterator& a, const ElementIterator& b) noexcept {
    return a.position_ == b.position_;
  }
  /// A guard: `std::sort(x.begin(), x.end())`.
  friend difference_type operator-(const ElementIterator&,
                                   iterators_of_a_tensor_only_read_in_order::fix_call_sort_or_write) {
    return 0;
  }

 private:
  const T* current_ = nullptr;
  Layout layout_;
  std::int64_t position_ = 0;
  std::array<std::int64_t, max_rank> index_{};
};

}  // namespace internal

/// Base of `Tensor<T, D>` with the host reads, for a host device.
template <class T, class D, bool HostReads>
class HostAccess {
 public:
  /// The first element of the view; neighbors along an axis are `stride(axis)` elements apart. Valid until the tensor
  /// is next written or destroyed. Deleted on temporaries.
  [[nodiscard]] const T* data() const& { return self().element_pointer(); }
  pointer_into_a_temporary_tensor::fix_give_the_tensor_a_name data() && = delete;

  /// The elements in row-major order. Throws `ShapeError` for a view with gaps (`contiguous(x)` has none).
  [[nodiscard]] std::span<const T> span() const& {
    if (!self().layout().is_row_major()) {
      throw ShapeError("span: the tensor of shape " + self().shape().to_string() +
                       " is a view whose elements are not adjacent; take contiguous(x) first");
    }
    return {self().element_pointer(), static_cast<std::size_t>(self().size())};
  }
  pointer_into_a_temporary_tensor::fix_give_the_tensor_a_name span() && = delete;

  /// The only element. Throws `ShapeError` unless there is exactly one.
  [[nodiscard]] T item() const {
    if (self().size() != 1) {
      throw ShapeError("item: the tensor has " + std::to_string(self().size()) + " elements, shape " +
                       self().shape().to_string() + "; item() reads the only one, x(i, j) one of several");
    }
    return *self().element_pointer();
  }

  /// One element: as many positions as the rank, negative ones count from the end. Throws `IndexError` otherwise.
  template <Position... At>
  [[nodiscard]] T operator()(At... positions) const {
    return self().storage_elements()[internal::element_offset(self().layout(), positions...)];
  }

  /// One element for writing: `x.at(i, j) = v`. Throws `IndexError`.
  template <Position... At>
  [[nodiscard]] ElementSlot<T, D> at(At... positions) & {
    return ElementSlot<T, D>(static_cast<Tensor<T, D>&>(*this), positions...);
  }

  /// The elements in row-major order, for `for (float v : x)`. Deleted on temporaries.
  [[nodiscard]] internal::ElementIterator<T> begin() const& { return {self().element_pointer(), self().layout(), 0}; }
  [[nodiscard]] internal::ElementIterator<T> end() const& { return {nullptr, self().layout(), self().size()}; }
  pointer_into_a_temporary_tensor::fix_give_the_tensor_a_name begin() && = delete;
  pointer_into_a_temporary_tensor::fix_give_the_tensor_a_name end() && = delete;

 private:
  const Tensor<T, D>& self() const noexcept { return static_cast<const Tensor<T, D>&>(*this); }
};

/// The host reads of `interop/eigen.hpp` and `interop/mdspan.hpp`; independent of the element type, so that each device
/// has one instance.
template <class D>
class NoHostReads {
  friend const char* eigen(typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>) {
    return nullptr;
  }
  friend const char* eigen_vector(typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>) {
    return nullptr;
  }
  friend const char* eigen_array(typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>) {
    return nullptr;
  }
  friend const char* eigen_batch(typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>) {
    return nullptr;
  }
  friend const char* eigen_rows(typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>) {
    return nullptr;
  }
  friend const char* eigen_strided(typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>) {
    return nullptr;
  }
  template <class M>
  friend const char* as_mdspan(typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>) {
    return nullptr;
  }
  template <int Rows, int Columns>
  friend const char* eigen(typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>) {
    return nullptr;
  }
};

/// The same base for a device whose memory the host cannot read: the names exist to be rejected.
template <class T, class D>
class HostAccess<T, D, false> : public NoHostReads<D> {
 public:
  // Functions, because for objects nvcc says "no suitable begin function"; `end` is not deleted, since one error is
  // enough.
  template <class Fix = typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>>
  const T* begin() const = delete;
  const T* end() const;

  /// The first element of the view, for kernels that the program puts into this thread's stream
  /// (`Stream<D>::current()`) from now on; neighbors along an axis are `stride(axis)` elements apart. Valid until the
  /// tensor is next written or destroyed. `launch_on` is the safe way to such a stream. Deleted on temporaries.
  [[nodiscard]] DevicePointer<const T, D> device_data() const& {
    const auto& x = static_cast<const Tensor<T, D>&>(*this);
    if constexpr (requires { D::queue(); }) {
      if (x.storage()) before_read(D::queue(), x.storage(), {dtype_name<T>(), &x.shape()});
    }
    return DevicePointer<const T, D>(x.element_pointer());
  }
  pointer_into_a_temporary_tensor::fix_give_the_tensor_a_name device_data() && = delete;

  static constexpr
      typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>::or_device_data_for_a_kernel data{};
  static constexpr typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu> span{};
  static constexpr typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu> item{};

  // One position converts to an item of an index just as well: the overloads for items are templates, and these are not,
  // so these are chosen. Of several, the type of the first is deduced, so that no other overload fits better.
  T operator()(typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>::or_element) const;
  template <Position First, Position... Rest>
  T operator()(First, typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>, Rest...) const;
  Slot<T, D> at(typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>::or_element) &;
  template <Position First, Position... Rest>
  Slot<T, D> at(First, typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>, Rest...) &;
};

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// The members by which expressions and parts of tensors read like tensors. Each call evaluates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>  // the tags of iterators too: <iterator> would bring those of streams
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/memory/storage.hpp>
#include <situ/tensor/diagnostics.hpp>
#include <situ/tensor/fwd.hpp>
#include <situ/tensor/host_access.hpp>
#include <situ/tensor/index.hpp>
#include <situ/tensor/indexable.hpp>

namespace situ {

namespace internal {

/// Visits the elements of a tensor that it owns: the value of an expression.
template <Element T, Device D>
class OwningElementIterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using reference = T;
  using pointer = void;
  using iterator_category = std::input_iterator_tag;
  using iterator_concept = std::forward_iterator_tag;

  OwningElementIterator() = default;
  /// The end of `count` elements.
  explicit OwningElementIterator(std::int64_t count) noexcept : position_(count) {}
  explicit OwningElementIterator(const Tensor<T, D>& tensor) : storage_(tensor.storage()), current_(tensor.begin()) {}

  [[nodiscard]] T operator*() const noexcept { return *current_; }
  OwningElementIterator& operator++() noexcept {
    ++position_;
    ++current_;
    return *this;
  }
  OwningElementIterator operator++(int) noexcept {
    OwningElementIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const OwningElementIterator& a, const OwningElementIterator& b) noexcept {
    return a.position_ == b.position_;
  }

 private:
  Storage<D> storage_;
  ElementIterator<T> current_;
  std::int64_t position_ = 0;
};

}  // namespace internal

/// The host reads of elements, for host devices.
template <class Self, class T, class D, bool HostReads>
class EvaluatedHostReads {
 public:
  /// The only element. Throws `ShapeError` unless there is exactly one.
  [[nodiscard]] T item() const { return eval(self()).item(); }

  /// One element: as many positions as the rank, else throws `IndexError`. Computes the whole expression. For an
  /// expression of variables, a `Variable` of rank 0.
  template <Position... At>
  [[nodiscard]] auto operator()(At... positions) const {
    if constexpr (internal::records<Self>) return eval(self()).element(positions...);
    else return eval(self()).element(positions...).item();
  }

  /// The elements in row-major order, for `for (float v : x * 2)`; evaluated once, by `begin`.
  [[nodiscard]] internal::OwningElementIterator<T, D> begin() const {
    return internal::OwningElementIterator<T, D>(eval(self()));
  }
  [[nodiscard]] internal::OwningElementIterator<T, D> end() const {
    return internal::OwningElementIterator<T, D>(self().shape().count());
  }

  // A pointer into memory that is freed at the end of the statement.
  template <class Fix = pointer_into_a_temporary_tensor::fix_give_the_tensor_a_name>
  const T* data() const = delete;
  template <class Fix = pointer_into_a_temporary_tensor::fix_give_the_tensor_a_name>
  std::span<const T> span() const = delete;

 private:
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }
};

/// On a GPU the names exist to be rejected, as a tensor's do; but an element of an expression of variables is a
/// `Variable`, which reads no element.
template <class Self, class T, class D>
class EvaluatedHostReads<Self, T, D, false> : public HostAccess<T, D, false> {
 public:
  // `S` is `Self`, which is complete only once one of these is called.
  template <Position At, class S = Self,
            class Fix = typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>>
    requires(!internal::records<S>)
  T operator()(At) const = delete;
  template <Position First, Position... Rest, class S = Self>
    requires(!internal::records<S>)
  T operator()(First, typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu>, Rest...) const;
  template <Position... At, class S = Self>
    requires(internal::records<S>)
  [[nodiscard]] auto operator()(At... positions) const {
    return eval(static_cast<const Self&>(*this)).element(positions...);
  }
};

/// Base of `Self`, an expression or a part with elements `T` on device `D`, which has a `shape()`. Name a value that is
/// read more than once, `Tensor y = x + 1;`, since each of these calls computes it again.
///
///     float third = (sum(x) / 3).item();
///     float corner = (x * 2)(0, 0);
///     Tensor row = (a == b)(0, all);
template <class Self, class T, class D>
class EvaluatedReads : public Indexable<Self>, public EvaluatedHostReads<Self, T, D, HostDevice<D>> {
 public:
  using EvaluatedHostReads<Self, T, D, HostDevice<D>>::operator();
  using Indexable<Self>::operator();

  [[nodiscard]] int rank() const { return self().shape().rank(); }
  /// The number of elements.
  [[nodiscard]] std::int64_t size() const { return self().shape().count(); }
  /// The extent of one axis; negative axes count from the end. Throws `IndexError`.
  [[nodiscard]] std::int64_t extent(std::int64_t axis) const {
    const auto& shape = self().shape();
    return shape[internal::normalize_axis(axis, shape.rank(), "extent")];
  }

  /// For `Indexable`: a part of the value.
  [[nodiscard]] auto part(const internal::IndexItems& items) const { return eval(self()).part(items); }
  /// One element as a tensor of rank 0, on any device; see `Tensor::element`.
  template <Position... At>
  [[nodiscard]] auto element(At... positions) const {
    return eval(self()).element(positions...);
  }

  /// Evaluates, then moves: see `Tensor::to`, `copy_to` and `to_async`.
  template <Device To>
  [[nodiscard]] auto to(To target = {}, CallSite site = CallSite::here()) const {
    return eval(self()).to(target, site);
  }
  /// The value, on device `To`, in storage of its own.
  template <Device To>
  [[nodiscard]] auto copy_to(To target = {}, CallSite site = CallSite::here()) const {
    return eval(self()).copy_to(target, site);
  }
  // A device known only at run time, as in `Tensor`.
  Tensor<T, D> to(the_device_is_known_at_run_time_only::fix_call_with_device) const;
  Tensor<T, D> copy_to(the_device_is_known_at_run_time_only::fix_call_with_device) const;
  /// The value, on its way to device `To`.
  template <Device To>
  [[nodiscard]] auto to_async(To target = {}, CallSite site = CallSite::here()) const {
    return eval(self()).to_async(target, site);
  }

 private:
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }
};

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// `DeviceLog`: numbers that a program computes on a device one by one, kept there until the host needs them.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/nodes.hpp>
#include <situ/tensor/diagnostics.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

/// A list of numbers on device `D`. `append` adds one without making the host wait: on a GPU it is one more small
/// operation in this thread's stream. `flush` copies all of them to the host at once. Reading each number when it is
/// computed (`norm(c).to<Cpu>().item()`) makes the host wait for the GPU each time, and then the GPU for the host.
///
///     DeviceLog<float, Cuda<0>> log;
///     for (int i = 0; i < 1000; ++i) {
///       c = matmul(a, c);
///       log.append(norm(c));                  // does not wait
///     }
///     Tensor norms = log.flush();             // Tensor<float, Cpu> of shape (1000,); waits once
///
/// A log is a value, like a tensor: copying it costs a few nanoseconds, and the copies are independent. Different
/// threads may use different logs, but only one thread at a time may use a log. A function captured as a graph should
/// return its number for the caller to append: launching the graph runs no host code and so appends nothing.
template <Element T, Device D = Cpu>
class DeviceLog {
 public:
  using value_type = T;
  using device_type = D;

  /// An empty log. Takes no memory before the first `append` or `reserve`.
  DeviceLog() noexcept = default;

  DeviceLog(const DeviceLog&) = default;
  DeviceLog& operator=(const DeviceLog&) = default;
  /// Leaves `other` empty.
  DeviceLog(DeviceLog&& other) noexcept
      : elements_(std::exchange(other.elements_, {})), size_(std::exchange(other.size_, 0)) {}
  DeviceLog& operator=(DeviceLog&& other) noexcept {
    DeviceLog taken(std::move(other));
    elements_.swap(taken.elements_);
    std::swap(size_, taken.size_);
    return *this;
  }
  ~DeviceLog() = default;

  /// Appends the only element of a tensor or an expression on this device, of any rank. Does not wait for it to be
  /// computed. Throws `ShapeError` if it has more elements or none, and `OutOfMemory`; the log is then unchanged.
  template <class E>
    requires(TensorLike<E> && !Recorded<E> && std::same_as<value_type_t<E>, T> && std::same_as<device_t<E>, D>)
  void append(E&& value) {
    const Shape shape = value.shape();
    if (shape.count() != 1) {
      throw ShapeError("append: a log takes one number at a time, and the operand has shape " + shape.to_string() +
                       "; reduce it first, with sum, mean or norm");
    }
    make_room(size_ + 1);
    if (shape.rank() > 1) {
      const Tensor<T, D> number(std::forward<E>(value));
      write(Tensor<T, D>(number.storage(), Layout{Shape{}, {}, number.layout().offset}));
    } else {
      write(std::forward<E>(value));
    }
  }

  /// Appends a number from the host. Throws `ValueError` if the element type cannot hold it.
  template <class S>
    requires internal::WeakScalarFor<S, T>
  void append(S value) {
    const T element = internal::element_from_scalar<T>(value, "append");
    make_room(size_ + 1);
    write(internal::Fill<T, D>(Shape{}, element));
  }

  // The guards: never defined, see diagnostics.hpp.
  void append(typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
  void append(typename element_types_differ<T, D>::template fix_call_cast<T>);
  void append(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);
  /// For values that record gradients: append `loss.value()`.
  template <Recorded E,
            class Fix = typename a_tensor_would_lose_the_gradient<T, D>::fix_make_it_a_Variable_or_call_no_grad>
    requires std::same_as<value_type_t<E>, T> && std::same_as<device_t<E>, D>
  void append(const E&) = delete;

  /// Waits until all numbers are computed, returns them on the host as a tensor of shape (size,), and empties the log,
  /// which keeps its memory. Throws errors of the work on the device, as `to<Cpu>` does; the log is then unchanged.
  [[nodiscard]] Tensor<T, Cpu> flush(CallSite site = CallSite::here()) {
    Tensor<T, Cpu> host = values().copy_to(Cpu{}, site);
    size_ = 0;
    return host;
  }

  /// The numbers so far as a tensor of shape (size,) on the device, to compute with there; does not wait. It shares
  /// memory with the log: while it is alive, the next `append` copies the log first.
  ///
  ///     Pending report = log.values().template to_async<Pinned>();   // the host goes on; see to_async
  [[nodiscard]] Tensor<T, D> values() const { return elements_(range(0, size_)); }

  /// Removes the numbers and keeps the memory.
  void clear() noexcept { size_ = 0; }

  /// Allocates memory for `count` numbers in all, so that no `append` up to that size allocates. Throws `OutOfMemory`,
  /// and `ShapeError` for a negative count.
  void reserve(std::int64_t count) {
    if (count < 0) throw ShapeError("reserve: " + std::to_string(count) + " numbers; a count is 0 or more");
    if (count > elements_.size()) move_to(count);
  }

  /// The number of numbers in the log.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// How many it can hold before it allocates again.
  [[nodiscard]] std::int64_t capacity() const noexcept { return elements_.size(); }

 private:
  static constexpr std::int64_t first_capacity = 256;

  void make_room(std::int64_t count) {
    if (count > elements_.size()) move_to(std::max(2 * elements_.size(), first_capacity));
  }

  /// Moves the numbers into new memory, on the device and without waiting. (Rejected: a list of chunks, which `values`
  /// would have to concatenate. Each number is moved once or twice in all.)
  void move_to(std::int64_t capacity) {
    Tensor<T, D> larger(internal::allocate_elements<T, D>(Shape{capacity}), Layout::row_major(Shape{capacity}));
    if (size_ > 0) larger.at(range(0, size_)) = values();
    elements_ = std::move(larger);
  }

  template <class E>
  void write(E&& value) {
    elements_.at(range(size_, size_ + 1)) = std::forward<E>(value);
    ++size_;
  }

  Tensor<T, D> elements_;  // the first `size_` are in use
  std::int64_t size_ = 0;
};

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// Collates samples into a batch, and moves batches to another device: numbers, tensors, and tuples of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/device/pinned.hpp>
#include <situ/memory/storage.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/pending.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ::internal {

/// Whether samples of this type can be collated.
template <class S>
inline constexpr bool is_sample = Element<S>;
template <class S>
  requires TensorType<S> || Evaluable<S>
inline constexpr bool is_sample<S> = HostDevice<device_t<S>>;
template <class... S>
inline constexpr bool is_sample<std::tuple<S...>> = (is_sample<std::remove_cvref_t<S>> && ...);
template <class A, class B>
inline constexpr bool is_sample<std::pair<A, B>> = is_sample<std::tuple<A, B>>;

/// Whether batches of this type can be moved.
template <class B>
inline constexpr bool is_batch = TensorType<B>;
template <class... B>
inline constexpr bool is_batch<std::tuple<B...>> = (is_batch<B> && ...);
template <class A, class B>
inline constexpr bool is_batch<std::pair<A, B>> = is_batch<std::tuple<A, B>>;

/// The `std::tuple` of the results of `f` for each tensor of a batch, or its result for the only one.
template <class Batch, class F>
[[nodiscard]] auto map_batch(Batch&& batch, const F& f) {
  if constexpr (requires { std::tuple_size<std::remove_cvref_t<Batch>>::value; }) {
    return std::apply(
        [&]<class... Part>(Part&&... part) {
          return std::tuple<decltype(map_batch(std::forward<Part>(part), f))...>{
              map_batch(std::forward<Part>(part), f)...};
        },
        std::forward<Batch>(batch));
  } else {
    return f(std::forward<Batch>(batch));
  }
}

/// Begins to move a tensor to device `D`: returns a `Pending` if it must be copied to a GPU.
template <Device D, class X>
[[nodiscard]] auto sent_tensor(X&& tensor) {
  using From = device_t<X>;
  if constexpr (std::same_as<From, D>) return std::remove_cvref_t<X>(std::forward<X>(tensor));
  else if constexpr (HostDevice<D>) return tensor.template to<D>();
  else if constexpr (std::same_as<From, Cpu>) return tensor.template to<Pinned>().template to_async<D>();
  else return tensor.template to_async<D>();
}

/// Begins to move a batch to device `D`: returns the argument for `arrived`, which completes the batch.
template <Device D, class Batch>
[[nodiscard]] auto sent(Batch&& batch) {
  return map_batch(std::forward<Batch>(batch),
                   []<class X>(X&& tensor) { return sent_tensor<D>(std::forward<X>(tensor)); });
}
template <class Sent>
[[nodiscard]] auto arrived(Sent&& sent) {
  return map_batch(std::forward<Sent>(sent), []<class X>(X&& part) {
    if constexpr (TensorType<X>) return std::remove_cvref_t<X>(std::forward<X>(part));
    else return std::forward<X>(part).wait();
  });
}

/// Collates samples of type `S`, one after the other, into a batch in memory `Host`.
template <class S, HostDevice Host>
class Collation;

template <Element T, HostDevice Host>
class Collation<T, Host> {
 public:
  explicit Collation(std::int64_t count) : shape_{count}, storage_(allocate_elements<T, Host>(shape_)) {}
  void put(std::int64_t place, std::int64_t, T sample) { static_cast<T*>(storage_.data())[place] = sample; }
  [[nodiscard]] Tensor<T, Host> batch() && { return {std::move(storage_), Layout::row_major(shape_)}; }

 private:
  Shape shape_;
  Storage<Host> storage_;
};

template <class S, HostDevice Host>
  requires TensorType<S> || Evaluable<S>
class Collation<S, Host> {
  using T = value_type_t<S>;

 public:
  explicit Collation(std::int64_t count) : count_(count) {}

  /// `index` is the sample's index in the data set, for the error message.
  void put(std::int64_t place, std::int64_t index, const S& sample) {
    const Tensor<T, device_t<S>> rows = contiguous(sample);
    if (place == 0) {
      sample_shape_ = rows.shape();
      Shape shape{count_};
      for (const std::int64_t extent : sample_shape_) shape.push_back(extent);
      storage_ = allocate_elements<T, Host>(shape.checked());
      shape_ = shape;
    } else if (!(rows.shape() == sample_shape_)) {
      throw ShapeError("DataLoader: sample " + std::to_string(index) + " has shape " + rows.shape().to_string() +
                       ", the first of its batch " + sample_shape_.to_string() +
                       "; a batch needs one shape: pad or crop the samples, or batch_size = 1");
    }
    const std::int64_t size = sample_shape_.count();
    if (size == 0) return;
    std::memcpy(static_cast<T*>(storage_.data()) + place * size, rows.element_pointer(),
                static_cast<std::size_t>(size) * sizeof(T));
  }
  [[nodiscard]] Tensor<T, Host> batch() && { return {std::move(storage_), Layout::row_major(shape_)}; }

 private:
  std::int64_t count_;
  Shape sample_shape_;
  Shape shape_{0};
  Storage<Host> storage_;
};

template <class... S, HostDevice Host>
class Collation<std::tuple<S...>, Host> {
 public:
  explicit Collation(std::int64_t count) : parts_{Collation<std::remove_cvref_t<S>, Host>(count)...} {}

  template <class Sample>
  void put(std::int64_t place, std::int64_t index, const Sample& sample) {
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      (std::get<At>(parts_).put(place, index, std::get<At>(sample)), ...);
    }(std::index_sequence_for<S...>{});
  }
  [[nodiscard]] auto batch() && {
    return std::apply(
        [](auto&... part) { return std::tuple<decltype(std::move(part).batch())...>{std::move(part).batch()...}; },
        parts_);
  }

 private:
  std::tuple<Collation<std::remove_cvref_t<S>, Host>...> parts_;
};

template <class A, class B, HostDevice Host>
class Collation<std::pair<A, B>, Host> : public Collation<std::tuple<A, B>, Host> {
 public:
  using Collation<std::tuple<A, B>, Host>::Collation;
};

}  // namespace situ::internal

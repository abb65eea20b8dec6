// SPDX-License-Identifier: Apache-2.0
// Data sets: the concept `Dataset`, and `TensorDataset`, whose samples are the rows of tensors.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/data/collate.hpp>
#include <situ/device/device.hpp>
#include <situ/memory/storage.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/random.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// The sample type of a data set with single samples.
template <class Data>
[[nodiscard]] decltype(auto) sample_of(const Data& data, std::int64_t index, Generator& generator) {
  if constexpr (requires { data.get(index, generator); }) return data.get(index, generator);
  else if constexpr (requires { data.get(index); }) return data.get(index);
  else return data[static_cast<std::size_t>(index)];
}

template <class Data>
concept HasSamples = requires(const Data& data, std::int64_t index, Generator& generator) {
  requires requires { data.get(index, generator); } || requires { data.get(index); } ||
               requires { data[static_cast<std::size_t>(index)]; };
} && is_sample<std::remove_cvref_t<decltype(sample_of(std::declval<const Data&>(), 0, std::declval<Generator&>()))>>;

/// The batch type of a data set that returns batches; `Host` is the requested memory.
template <class Host, class Data>
[[nodiscard]] auto batch_of(const Data& data, std::span<const std::int64_t> indices) {
  if constexpr (requires { data.get_batch(indices, Host{}); }) return data.get_batch(indices, Host{});
  else return data.get_batch(indices);
}

template <class Data>
concept HasBatches = requires(const Data& data, std::span<const std::int64_t> indices) {
  requires requires { data.get_batch(indices, Cpu{}); } || requires { data.get_batch(indices); };
} && is_batch<decltype(batch_of<Cpu>(std::declval<const Data&>(), {}))>;

inline void check_sample_index(std::int64_t index, std::int64_t size, const char* operation) {
  if (index < 0 || index >= size) {
    throw IndexError(std::string(operation) + ": sample " + std::to_string(index) + " of a data set of " +
                     std::to_string(size) + "; samples are counted from 0");
  }
}

}  // namespace internal

/// A source for `DataLoader`: `size()`, and one of these, all const, and called by several threads at a time:
///
/// - `get(index)`, or `data[index]` as in a `std::vector`: one sample, a number, a tensor or an expression on a host
///   device, or a `std::tuple` or `std::pair` of such. The samples of a batch become one tensor with a new first axis.
/// - `get(index, generator)`: the same, with a `Generator&` for this sample in this epoch, for random crops and noise
///   that do not depend on the worker.
/// - `get_batch(indices)`, if it is cheaper to read many at once: a tensor on any device, or a tuple of tensors, for a
///   `std::span<const std::int64_t>`. An optional second parameter is the memory requested for the batch, `Cpu{}` or
///   `Pinned{}`; creating the batch there saves a copy.
///
///     struct Noisy {
///       Tensor<float> images;                 // (n, 28, 28)
///       Tensor<std::int64_t> labels;          // (n,)
///       std::int64_t size() const { return labels.size(); }
///       auto get(std::int64_t i, Generator& g) const {
///         return std::tuple(images(i, all) + 0.1f * randn<float>({28, 28}, g), labels(i));
///       }
///     };
template <class Data>
concept Dataset = requires(const Data& data) {
  { data.size() } -> std::convertible_to<std::int64_t>;
} && (internal::HasBatches<Data> || internal::HasSamples<Data>);

/// Samples along the first axis of one or more tensors: `TensorDataset(images, labels)`. A batch is a tensor for one,
/// else a tuple of tensors. They may be on different devices; a tensor on a GPU is gathered there.
///
/// Throws `ShapeError` if the tensors have no first axis, or not all the same extent.
template <TensorType First, TensorType... Rest>
class TensorDataset {
 public:
  explicit(sizeof...(Rest) > 0) TensorDataset(First first, Rest... rest)
      : tensors_(rows_of(std::move(first)), rows_of(std::move(rest))...) {
    std::apply([this](const auto&... tensor) { (check(tensor.shape()), ...); }, tensors_);
  }

  /// The number of samples.
  [[nodiscard]] std::int64_t size() const noexcept { return std::get<0>(tensors_).shape()[0]; }

  /// The tensors as a tuple.
  [[nodiscard]] const std::tuple<First, Rest...>& tensors() const noexcept { return tensors_; }

  /// The samples at `indices`, in memory `Host` if the tensors are in host memory. Consecutive indices share the
  /// storage of tensors that are there already. Throws `IndexError`.
  template <HostDevice Host>
  [[nodiscard]] auto get_batch(std::span<const std::int64_t> indices, Host) const {
    for (const std::int64_t index : indices) internal::check_sample_index(index, size(), "TensorDataset");
    if constexpr (sizeof...(Rest) == 0) {
      return gather_rows<Host>(std::get<0>(tensors_), indices);
    } else {
      return std::apply([&](const auto&... tensor) { return std::tuple(gather_rows<Host>(tensor, indices)...); },
                        tensors_);
    }
  }

 private:
  /// The tensor itself if each of its rows is stored without gaps.
  template <Element T, Device D>
  static Tensor<T, D> rows_of(Tensor<T, D> tensor) {
    if (tensor.rank() == 0) throw ShapeError("TensorDataset: a tensor of rank 0 has no axis of samples");
    Layout row;
    for (int axis = 1; axis < tensor.rank(); ++axis) {
      row.set_stride(row.shape.rank(), tensor.layout().stride(axis));
      row.shape.push_back(tensor.shape()[axis]);
    }
    if (row.is_row_major()) return tensor;
    return contiguous(tensor);
  }

  void check(const Shape& shape) const {
    if (shape[0] == size()) return;
    throw ShapeError("TensorDataset: a tensor of shape " + shape.to_string() + " beside one of shape " +
                     std::get<0>(tensors_).shape().to_string() +
                     "; the first axis is that of the samples, and needs the same extent in all");
  }

  static std::int64_t run_length(std::span<const std::int64_t> indices) {
    std::size_t length = 1;
    while (length < indices.size() && indices[length] == indices[0] + static_cast<std::int64_t>(length)) ++length;
    return static_cast<std::int64_t>(length);
  }

  template <class Host, Element T, Device D>
  static auto gather_rows(const Tensor<T, D>& tensor, std::span<const std::int64_t> indices) {
    using To = std::conditional_t<HostDevice<D>, Host, D>;
    const auto count = static_cast<std::int64_t>(indices.size());
    if constexpr (std::same_as<To, D>) {
      if (count == 0) return tensor(range(0, 0));
      if (run_length(indices) == count) return tensor(range(indices[0], indices[0] + count));
    }
    if constexpr (!HostDevice<D>) {
      internal::Storage<Pinned> storage = internal::allocate_elements<std::int64_t, Pinned>(Shape{count});
      std::memcpy(storage.data(), indices.data(), indices.size_bytes());
      const Tensor<std::int64_t, Pinned> positions(std::move(storage), Layout::row_major(Shape{count}));
      return take(tensor, positions.template to<D>(), 0);
    } else {
      Shape shape = tensor.shape();
      const std::int64_t row = shape.count() / std::max<std::int64_t>(shape[0], 1);
      shape.set(0, count);
      internal::Storage<To> storage = internal::allocate_elements<T, To>(shape);
      const std::int64_t stride = tensor.layout().stride(0);
      const T* const from = tensor.element_pointer();
      T* to = static_cast<T*>(storage.data());
      for (std::int64_t done = 0; row > 0 && done < count;) {
        const auto rest = indices.subspan(static_cast<std::size_t>(done));
        const std::int64_t run = stride == row ? run_length(rest) : 1;
        std::memcpy(to, from + rest[0] * stride, static_cast<std::size_t>(run * row) * sizeof(T));
        to += run * row;
        done += run;
      }
      return Tensor<T, To>(std::move(storage), Layout::row_major(shape));
    }
  }

  std::tuple<First, Rest...> tensors_;
};

}  // namespace situ

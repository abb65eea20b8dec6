// SPDX-License-Identifier: Apache-2.0
// Reads and writes of storage, reported to a device with a queue: `writes<T>(storage)`, `reads(x)`.
#pragma once

#include <situ/core/tensor_name.hpp>
#include <situ/expression/lower.hpp>
#include <situ/memory/storage.hpp>
#include <situ/tensor/tensor.hpp>
#if defined(SITU_CHECKED)  // `call_kernel` runs kernels through it
#include <situ/expression/first_bad_number.hpp>
#endif

namespace situ::internal {

/// How errors describe a tensor.
template <Element T, Device D>
[[nodiscard]] TensorName name_of(const Tensor<T, D>& tensor) noexcept {
  return {dtype_name<T>(), &tensor.shape()};
}

/// The operation writes `storage`, and may read it.
template <Device D>
struct Writes {
  const Storage<D>& storage;
  TensorName name{};

  template <class Backend>
  void announce(const Backend& backend) const {
    before_write(backend, storage, name);
  }
};
/// The same, for elements `T`, which a `NumberCheck` checks.
template <Element T, Device D>
struct WritesElements : Writes<D> {
  template <class Inspection>
  void inspect(Inspection& inspection) const {
    inspection.template writes<T>(this->storage);
  }
};

/// The operation reads the tensors of `expression`.
template <class E>
struct Reads {
  const E& expression;

  template <class Backend>
  void announce(const Backend& backend) const {
    leaves_of(expression).for_each([&](const auto& leaf) {
      const auto& tensor = tensor_of_leaf(leaf);
      if (tensor.storage()) before_read(backend, tensor.storage(), name_of(tensor));
    });
  }
  template <class Inspection>
  void inspect(Inspection& inspection) const {
    inspection.reads(expression);
  }
};

template <Device D>
[[nodiscard]] Writes<D> writes(const Storage<D>& storage) noexcept {
  return {storage, {}};
}
template <Element T, Device D>
[[nodiscard]] WritesElements<T, D> writes(const Storage<D>& storage, const TensorName& name = {}) noexcept {
  return {{storage, name}};
}
template <class E>
[[nodiscard]] Reads<E> reads(const E& expression) noexcept {
  return {expression};
}

}  // namespace situ::internal

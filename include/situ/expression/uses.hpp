// SPDX-License-Identifier: Apache-2.0
// What an operation does with storage, told to a device whose work is queued: `writes(storage)`, `reads(x)`.
#pragma once

#include <situ/expression/lower.hpp>
#include <situ/memory/storage.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::detail {

/// The operation writes `storage`, and may read it.
template <Device D>
struct Writes {
  const Storage<D>& storage;

  template <class Backend>
  void announce(const Backend& backend) const {
    before_write(backend, storage);
  }
};

/// The operation reads the tensors of `expression`.
template <class E>
struct Reads {
  const E& expression;

  template <class Backend>
  void announce(const Backend& backend) const {
    for_each_leaf(expression, [&](const auto& leaf) {
      if (leaf.storage()) before_read(backend, leaf.storage());
    });
  }
};

template <Device D>
[[nodiscard]] Writes<D> writes(const Storage<D>& storage) noexcept {
  return {storage};
}
template <class E>
[[nodiscard]] Reads<E> reads(const E& expression) noexcept {
  return {expression};
}

}  // namespace situ::detail

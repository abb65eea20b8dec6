// SPDX-License-Identifier: Apache-2.0
// For tests that compare operations on a GPU with those of the CPU: operands that lie there as they do here, and results
// to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <situ/situ.hpp>

#include "../reference.hpp"

namespace cuda_test {

/// The tensor on a GPU with the layout that it has on the host.
template <int N = 0, situ::Element T>
[[nodiscard]] situ::Tensor<T, situ::Cuda<N>> on_gpu(const situ::Tensor<T>& x) {
  const auto elements = static_cast<std::int64_t>(x.storage().bytes() / sizeof(T));
  const situ::Tensor<T> whole(x.storage(), situ::Layout::row_major({elements}));
  const auto moved = whole.template to<situ::Cuda<N>>();
  return situ::Tensor<T, situ::Cuda<N>>(moved.storage(), x.layout());
}

/// Whether two results have the same shape and the same bits; the first is on a GPU.
template <situ::Element T, int N>
[[nodiscard]] bool same_bits(const situ::Tensor<T, situ::Cuda<N>>& found, const situ::Tensor<T>& expected) {
  if (!(found.shape() == expected.shape())) return false;
  if (expected.size() == 0) return true;
  const situ::Tensor<T> a = situ::contiguous(found.template to<situ::Cpu>());
  const situ::Tensor<T> b = situ::contiguous(expected);
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(b.size()) * sizeof(T)) == 0;
}

/// A row-major tensor of what `f(i)` gives for element i.
template <situ::Element T, class F>
[[nodiscard]] situ::Tensor<T> filled(const situ::Shape& shape, F&& f) {
  situ::Tensor<T> tensor = situ::zeros<T>(shape);
  {
    auto lease = tensor.write();
    for (std::int64_t i = 0; i < lease.size(); ++i) lease.data()[i] = static_cast<T>(f(i));
  }
  return tensor;
}

}  // namespace cuda_test

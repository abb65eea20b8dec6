// SPDX-License-Identifier: Apache-2.0
// The bridge between devices: what `to` and `copy_to` call. The only file, with the collectives built on it, whose
// functions take and give tensors of two devices.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <situ/core/program.hpp>
#include <situ/device/device.hpp>
#include <situ/memory/storage.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// The tensor on device `To`, row-major there when it is copied. See `Tensor::to` and `Tensor::copy_to`.
template <Device To, Element T, Device From>
[[nodiscard]] Tensor<T, To> transfer(const Tensor<T, From>& tensor, bool always_copy) {
  if constexpr (std::same_as<To, From>) {
    if (!always_copy) return tensor;
  }
  if constexpr (HostDevice<To> && HostDevice<From>) {
    const Layout layout = Layout::row_major(tensor.shape());
    Storage<To> storage = Storage<To>::allocate(static_cast<std::size_t>(tensor.size()) * sizeof(T));
    if (tensor.size() > 0) {
      const program::Operand from{tensor.element_pointer(), sizeof(T), tensor.layout().strides};
      const program::Destination to{storage.data(), sizeof(T), layout.shape, layout.strides};
      copy_elements(typename To::backend{}, from, to);
    }
    return Tensor<T, To>(std::move(storage), layout);
  } else {
    // the side that the host cannot reach knows how to cross
    using Remote = std::conditional_t<HostDevice<To>, From, To>;
    return on_backend<Remote, Tensor<T, To>>([&](auto backend) { return transfer_elements<To>(backend, tensor); });
  }
}

}  // namespace situ

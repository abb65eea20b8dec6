// SPDX-License-Identifier: Apache-2.0
// Copies between devices, for `to`, `copy_to` and `to_async`. Only functions of this file, and the collectives built on
// it, take and return tensors of two devices.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/profile_range.hpp>
#include <situ/device/device.hpp>
#include <situ/device/pinned.hpp>
#include <situ/memory/storage.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/program.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/pending.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// How a copy within a device uses storage, for `on_backend`.
template <Device From, Device To>
struct CopyUses {
  const Storage<From>& from;
  const Storage<To>& to;

  template <class Backend>
  void announce(const Backend& backend) const {
    before_write(backend, to);
    before_read(backend, from);
  }
};

/// A copy of this many elements, which the host waits for if they come from a GPU to the host.
template <Element T, Device From, Device To>
class [[nodiscard]] CrossingOf : public movement::CrossingBetween<From, To> {
 public:
  CrossingOf(const char* operation, std::int64_t elements, CallSite site)
      : movement::CrossingBetween<From, To>(operation, static_cast<std::size_t>(elements) * sizeof(T),
                                            !HostDevice<From> && HostDevice<To>, site) {}
};

/// The elements in row-major order in storage of their own; both devices compute with the same kernels.
template <Device To, Element T, Device From>
[[nodiscard]] Tensor<T, To> row_major_copy(const Tensor<T, From>& tensor) {
  const Layout layout = Layout::row_major(tensor.shape());
  Storage<To> storage = allocate_elements<T, To>(tensor.shape());
  if (tensor.size() > 0) {
    const program::Operand from{tensor.element_pointer(), sizeof(T), tensor.layout().strides};
    const program::Destination to{storage.data(), sizeof(T), layout.shape, layout.strides};
    call_kernel<To, kernels::Copy, Copies<backend_t<To>, T>>([&](auto backend) { copy_elements<T>(backend, from, to); },
                                                             CopyUses<From, To>{tensor.storage(), storage});
  }
  return Tensor<T, To>(std::move(storage), layout);
}

}  // namespace internal

/// The tensor on device `To`, row-major there if it is copied. See `Tensor::to` and `Tensor::copy_to`.
template <Device To, Element T, Device From>
[[nodiscard]] Tensor<T, To> transfer(const Tensor<T, From>& tensor, bool always_copy,
                                     CallSite site = CallSite::here()) {
  if constexpr (std::same_as<To, From>) {
    return always_copy ? internal::row_major_copy<To>(tensor) : tensor;
  } else if constexpr (HostDevice<To> && HostDevice<From>) {
    const internal::CrossingOf<T, From, To> crossing(always_copy ? "copy_to" : "to", tensor.size(), site);
    return internal::row_major_copy<To>(tensor);
  } else {
    const internal::CrossingOf<T, From, To> crossing(always_copy ? "copy_to" : "to", tensor.size(), site);
    const ProfileRange profile([] { return From::name() + " to " + To::name(); });
    // the device that the host cannot reach performs the copy
    using Remote = std::conditional_t<HostDevice<To>, From, To>;
    return internal::on_backend<Remote, Tensor<T, To>>([&](auto backend) {
      // The source side makes elements contiguous; on the host, directly in memory that can be copied from.
      if (!tensor.layout().is_row_major()) {
        if constexpr (HostDevice<From>) return transfer<To>(internal::row_major_copy<Pinned>(tensor), false);
        else return transfer<To>(internal::row_major_copy<From>(tensor), false);
      }
      internal::Storage<To> storage = internal::allocate_elements<T, To>(tensor.shape());
      if (tensor.size() > 0) {
        transfer_bytes(backend, tensor.storage(), static_cast<std::size_t>(tensor.layout().offset) * sizeof(T), storage,
                       static_cast<std::size_t>(tensor.size()) * sizeof(T));
      }
      return Tensor<T, To>(std::move(storage), Layout::row_major(tensor.shape()));
    });
  }
}

/// The tensor on its way to device `To`. See `Tensor::to_async`.
template <Device To, Element T, Device From>
[[nodiscard]] Pending<Tensor<T, To>> transfer_async(const Tensor<T, From>& tensor, CallSite site = CallSite::here()) {
  using Result = Pending<Tensor<T, To>>;
  if constexpr (std::same_as<To, From>) {
    return Result(tensor, {}, {});
  } else {
    const internal::movement::CrossingBetween<From, To> crossing(
        "to_async", static_cast<std::size_t>(tensor.size()) * sizeof(T), /*host_waits=*/false, site);
    const ProfileRange profile([] { return From::name() + " to " + To::name() + ", async"; });
    using Remote = std::conditional_t<HostDevice<To>, From, To>;
    return internal::on_backend<Remote, Result>([&](auto backend) {
      // The source side makes elements contiguous, by work that the copy then waits for.
      if (!tensor.layout().is_row_major()) return transfer_async<To>(internal::row_major_copy<From>(tensor));
      if (tensor.size() == 0) return Result(transfer<To>(tensor, false), {}, {});
      auto arrival = send_bytes(backend, tensor.storage(), static_cast<std::size_t>(tensor.layout().offset) * sizeof(T),
                                static_cast<std::size_t>(tensor.size()) * sizeof(T), std::type_identity<To>{});
      // With a handle to a GPU's block, its owner's next write takes new memory instead of waiting for the copy. A
      // pinned block itself knows whether a copy is in flight, so that it can be refilled right afterwards.
      internal::KeptStorage source;
      if constexpr (!HostDevice<From>) source = internal::KeptStorage(tensor.storage());
      return Result(Tensor<T, To>(std::move(arrival.storage), Layout::row_major(tensor.shape())), std::move(source),
                    std::move(arrival.copy));
    });
  }
}

}  // namespace situ

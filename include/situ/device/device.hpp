// SPDX-License-Identifier: Apache-2.0
// Devices: the concepts `Device` and `HostDevice`, and how to add one.
//
// How to add a device
//   1. A tag, `namespace my { struct Backend { static constexpr bool present = true; }; }`, and a policy struct with
//      the members that `Device` requires. If its work is queued, also `queue()` (see `on_backend`) and the hooks of
//      memory/device_hooks.hpp.
//   2. Kernels, by the contracts in plan/: kernels.hpp, linalg.hpp, fft.hpp, order.hpp.
//   3. A dozen lines in `tests/conformance/`, which instantiate the whole suite for it.
// docs/adding.md has the details, and tests/scalar_device is a device written this way.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>

namespace situ {

/// A place where tensors are stored: an empty struct whose static functions allocate memory and whose `backend`
/// computes.
///
/// - `name()`: its printed name, `"cpu"`, `"cuda:1"`;
/// - `host_accessible`: whether the host may dereference its pointers;
/// - `allocate(bytes)`: fresh memory aligned to 64 bytes, or null; may throw `DeviceUnavailable`;
/// - `deallocate(pointer, bytes)`: takes it back.
template <class D>
concept Device = std::default_initializable<D> && requires(void* pointer, std::size_t bytes) {
  typename D::backend;
  { D::name() } -> std::convertible_to<std::string>;
  { D::host_accessible } -> std::convertible_to<bool>;
  { D::allocate(bytes) } -> std::same_as<void*>;
  { D::deallocate(pointer, bytes) } noexcept;
};

/// A device whose memory the host may read and write: `Cpu`, `Pinned`.
template <class D>
concept HostDevice = Device<D> && static_cast<bool>(D::host_accessible);

namespace internal {

/// Calls `f(backend)`, where `f` calls a kernel with that tag. If this build does not have the backend, `f` is not
/// instantiated and the call throws `DeviceUnavailable`, so that a branch for a GPU type-checks everywhere.
///
/// A device whose work is queued has a static `queue()`, which returns the tag with the queue in it. `uses`, from
/// `writes` and `reads` of expression/uses.hpp, then order the queue after earlier work on that storage.
template <Device D, class Result = void, class F, class... Uses>
Result on_backend(F&& f, const Uses&... uses) {
  if constexpr (!D::backend::present) {
    D::fail();
  } else if constexpr (requires { D::queue(); }) {
    const typename D::backend backend = D::queue();
    (uses.announce(backend), ...);
    return std::forward<F>(f)(backend);
  } else {
    return std::forward<F>(f)(typename D::backend{});
  }
}

}  // namespace internal

/// "the backend of the device has no kernel for the operation: fix: write it, see plan/kernels.hpp".
template <class D>
struct the_backend_of {
  template <class Operation>
  struct has_no_kernel_for {
    has_no_kernel_for() = delete;
  };
};

namespace internal {

template <Device D>
using backend_t = typename D::backend;

/// A use that `NumberCheck` can check (expression/uses.hpp).
template <class Use>
concept Inspectable = requires { &Use::template inspect<int>; };

/// `on_backend` for an operation whose kernel the backend has (a concept of plan/kernels.hpp). Without the kernel the
/// program does not compile, and the error names the device and the operation. (Generic code tests the concept first. A
/// constraint would do that for it, but would be one more guard for every operation.)
///
///     call_kernel<D, kernels::Sort, Sorts<backend_t<D>, T>>([&](auto backend) { sort<T>(backend, ...); },
///                                                         writes(to), reads(x));
template <Device D, class Operation, bool HasKernel, class F, class... Uses>
void call_kernel(F&& f, const Uses&... uses) {
  if constexpr (D::backend::present && !HasKernel) {
    static_cast<void>(typename the_backend_of<D>::template has_no_kernel_for<Operation>());
  } else if constexpr (checked_build && D::backend::present && (Inspectable<Uses> && ...)) {
    with_numbers_checked(
        std::type_identity<Operation>(), D(),
        [&] {
          if constexpr (requires { D::begin_kernel(); }) D::begin_kernel();
          on_backend<D>(std::forward<F>(f), uses...);
        },
        uses...);  // expression/first_bad_number.hpp
  } else if constexpr (!D::backend::present || requires { D::queue(); }) {
    on_backend<D>(std::forward<F>(f), uses...);
  } else {
    if constexpr (requires { D::begin_kernel(); }) D::begin_kernel();
    f(typename D::backend{});
  }
}

}  // namespace internal

/// The printed name of a device: `device_name(gpu<1>) == "cuda:1"`.
template <Device D>
[[nodiscard]] std::string device_name(D = {}) {
  return D::name();
}

/// Whether two devices are the same, by their types: `x.device() == gpu<0>`.
template <Device A, Device B>
[[nodiscard]] constexpr bool operator==(A, B) noexcept {
  return std::same_as<A, B>;
}

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// Work of a device beside its stream: reductions of gradients during the rest of the backward pass.
#pragma once

#include <tuple>

#include <situ/core/dtype.hpp>
#include <situ/device/device.hpp>
#include <situ/device/stream.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

/// A separate stream, on devices that have streams. While a `Scope` lives, its thread's work on the device goes there;
/// another thread may open one later.
template <Device D>
struct BesideOtherWork {
  struct Scope {
    explicit Scope(const BesideOtherWork&) {}
    ~Scope() {}  // not trivial, so that a scope counts as used, as on other devices
  };
  /// Work here may read `x` after the work that is in its stream now, without waiting for later work there.
  template <Element T>
  void announce_read(const Tensor<T, D>&) const {}
};
template <Device D>
  requires(!HostDevice<D>)
struct BesideOtherWork<D> {
  struct Scope {
    explicit Scope(const BesideOtherWork& beside) : scope(beside.stream) {}
    StreamScope<D> scope;
  };
  template <Element T>
  void announce_read(const Tensor<T, D>& x) const {
    const Scope scope(*this);
    on_backend<D>([](const auto&) {}, reads(x));
  }

  Stream<D> stream;
};

/// The same for several devices, for the lifetime of the object.
template <class Devices>
struct BesideOtherWorkOf;
template <class... D>
struct BesideOtherWorkOf<std::tuple<D...>> {
  std::tuple<BesideOtherWork<D>...> each;
  std::tuple<typename BesideOtherWork<D>::Scope...> scopes = std::apply(
      [](const auto&... beside) { return std::tuple<typename BesideOtherWork<D>::Scope...>(beside...); }, each);
};

}  // namespace situ::internal

// SPDX-License-Identifier: Apache-2.0
// Work of a device that goes on beside what is in its stream: reductions of gradients beside the rest of a walk.
#pragma once

#include <tuple>

#include <situ/core/dtype.hpp>
#include <situ/device/device.hpp>
#include <situ/device/stream.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

/// A stream of its own, where the device has streams. While a `Scope` lives, its thread's work on the device goes
/// there; another thread may have one later.
template <Device D>
struct BesideOtherWork {
  struct Scope {
    explicit Scope(const BesideOtherWork&) {}
    ~Scope() {}  // so that a scope is a use, as it is of other devices
  };
  /// Work here may read `x` after what is in its stream now; what is put there later is not waited for.
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

/// The same for several devices, from its beginning to its end.
template <class Devices>
struct BesideOtherWorkOf;
template <class... D>
struct BesideOtherWorkOf<std::tuple<D...>> {
  std::tuple<BesideOtherWork<D>...> each;
  std::tuple<typename BesideOtherWork<D>::Scope...> scopes = std::apply(
      [](const auto&... beside) { return std::tuple<typename BesideOtherWork<D>::Scope...>(beside...); }, each);
};

}  // namespace situ::internal

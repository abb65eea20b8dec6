// SPDX-License-Identifier: Apache-2.0
// Choosing a device at run time: how many there are, a device or its fallback, and the way back to a type.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <situ/device/cpu.hpp>
#include <situ/device/cuda.hpp>
#include <situ/device/device.hpp>
#include <situ/device/pinned.hpp>

namespace situ {

/// The CPU, to be given to creation functions and to `to`: `zeros<float>({2, 3}, cpu)`.
inline constexpr Cpu cpu{};
/// Page-locked host memory: `x.to(pinned)`.
inline constexpr Pinned pinned{};
/// GPU number `N`: `x.to(gpu<0>)`.
template <int N>
inline constexpr Cuda<N> gpu{};

/// One of several devices, known at run time; what `try_gpu` gives. `with_device` turns it back into a type.
template <Device... D>
using AnyDevice = std::variant<D...>;

/// The number of devices of a kind: `device_count<Cuda>()`.
template <template <int> class Kind>
[[nodiscard]] int device_count() noexcept {
  static_assert(std::same_as<Kind<0>, Cuda<0>>, "device_count counts GPUs: device_count<Cuda>()");
  return cuda::device_count();
}

/// Whether a device can be used here: `is_available<Cuda<1>>()`. Host devices always can.
template <Device D>
[[nodiscard]] bool is_available() noexcept {
  if constexpr (HostDevice<D>) return true;
  else return D::ordinal < cuda::device_count();
}

/// GPU number `I` if there is one, else the CPU.
///
///     with_device(try_gpu<0>(), [](auto device) { print(ones<float>({2, 3}, device)); });
template <int At = 0>
[[nodiscard]] AnyDevice<Cuda<At>, Cpu> try_gpu() noexcept {
  if (is_available<Cuda<At>>()) return Cuda<At>{};
  return Cpu{};
}

namespace detail {
template <class Indices>
struct AllGpus;
template <int... At>
struct AllGpus<std::integer_sequence<int, At...>> {
  using device = AnyDevice<Cpu, Cuda<At>...>;

  static std::vector<device> available() {
    std::vector<device> found;
    (static_cast<void>(is_available<Cuda<At>>() ? found.emplace_back(Cuda<At>{}), 0 : 0), ...);
    if (found.empty()) found.emplace_back(Cpu{});
    return found;
  }
};
}  // namespace detail

/// All GPUs with an ordinal below `Max`; the CPU alone when there is none, so that the list is never empty.
template <int Max = 8>
[[nodiscard]] auto try_all_gpus() {
  return detail::AllGpus<std::make_integer_sequence<int, Max>>::available();
}

/// Calls `f` with the device that `device` holds, as a value of its own type. `f` is instantiated for every
/// alternative and must give the same type for each.
///
///     with_device(try_gpu<1>(), [](auto device) { Tensor v = ones<float>({2, 3}, device); print(v); });
template <class F, Device... D>
decltype(auto) with_device(const AnyDevice<D...>& device, F&& f) {
  return std::visit(std::forward<F>(f), device);
}

/// The printed name of the device held: `"cuda:0"`, `"cpu"`.
template <Device... D>
[[nodiscard]] std::string device_name(const AnyDevice<D...>& device) {
  return std::visit([](auto d) { return decltype(d)::name(); }, device);
}

}  // namespace situ

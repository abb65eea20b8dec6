// SPDX-License-Identifier: Apache-2.0
// Choosing a device at run time: the number of devices, a device with a fallback, a device by name, and the way back to
// a type.
#pragma once

#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/cuda.hpp>
#include <situ/device/device.hpp>
#include <situ/device/pinned.hpp>

namespace situ {

/// The CPU, an argument of creation functions and of `to`: `zeros<float>({2, 3}, cpu)`.
inline constexpr Cpu cpu{};
/// Page-locked host memory: `x.to(pinned)`.
inline constexpr Pinned pinned{};
/// GPU number `Ordinal`: `x.to(gpu<0>)`. `gpu<>` is the first.
template <int Ordinal = 0>
inline constexpr Cuda<Ordinal> gpu{};

/// One of several devices, known at run time, as `try_gpu` and `parse_device` return it. `with_device` turns it back
/// into a type. It is a `std::variant` that holds the first device by default.
template <Device... D>
using AnyDevice = std::variant<D...>;

/// Whether it holds this device: `try_gpu() == cpu`.
template <Device First, Device... Rest, Device Other>
[[nodiscard]] constexpr bool operator==(const AnyDevice<First, Rest...>& device, Other other) noexcept {
  return std::visit([other](auto held) { return held == other; }, device);
}

/// The number of devices of a kind: `device_count<Cuda>()`.
template <template <int> class Kind>
[[nodiscard]] int device_count() noexcept {
  static_assert(std::same_as<Kind<0>, Cuda<0>>, "device_count counts GPUs: device_count<Cuda>()");
  return internal::cuda::device_count();
}

/// Whether this program can use a device here: `is_available<Cuda<1>>()`, `is_available(gpu<1>)`. True for host
/// devices.
template <Device D>
[[nodiscard]] bool is_available(D = {}) noexcept {
  if constexpr (HostDevice<D>) return true;
  else return D::ordinal < internal::cuda::device_count();
}

/// GPU number `I` if there is one, else the CPU.
///
///     with_device(try_gpu<0>(), [](auto device) { print(ones<float>({2, 3}, device)); });
template <int At = 0>
[[nodiscard]] AnyDevice<Cuda<At>, Cpu> try_gpu() noexcept {
  if (is_available<Cuda<At>>()) return Cuda<At>{};
  return Cpu{};
}

namespace internal {
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
}  // namespace internal

/// All GPUs with an ordinal below `Max`, or just the CPU if there are none, so that the list is never empty.
template <int Max = 8>
[[nodiscard]] auto try_all_gpus() {
  return internal::AllGpus<std::make_integer_sequence<int, Max>>::available();
}

namespace internal {
/// A lambda for one device, or for none, must not reach `std::visit`, which says so in 50 lines.
template <class F, class... D>
inline constexpr bool takes_every_device = (std::invocable<F, const D&> && ...);
template <class F, class First, class... Rest>
inline constexpr bool same_result =
    (std::same_as<std::invoke_result_t<F, const First&>, std::invoke_result_t<F, const Rest&>> && ...);
}  // namespace internal

/// Calls `f` with the device that `device` holds, as a value of its own type. `f` is instantiated for every alternative
/// and must return the same type for each: nothing, a number, a tensor on one device.
///
///     with_device(try_gpu<1>(), [](auto device) { Tensor v = ones<float>({2, 3}, device); print(v); });
template <class F, Device First, Device... Rest>
decltype(auto) with_device(const AnyDevice<First, Rest...>& device, F&& f) {
  if constexpr (!internal::takes_every_device<F, First, Rest...>) {
    static_assert(internal::takes_every_device<F, First, Rest...>,
                  "with_device: f does not take every device that this one may be; fix: a generic lambda, "
                  "[&](auto device) { ... }");
  } else if constexpr (internal::same_result<F, First, Rest...>) {
    return std::visit(std::forward<F>(f), device);
  } else {
    // Not a guard, with which `requires` would answer false: it would have to compile the body of `f` for its result
    // type.
    static_assert(internal::same_result<F, First, Rest...>,
                  "with_device: f gives another type for each device; return a tensor of one device, .to(cpu), or "
                  "nothing");
    // Call it on the CPU, whose result type the program most likely expects: so that no other error follows.
    return std::forward<F>(f)(std::conditional_t<(std::same_as<Rest, Cpu> || ...), Cpu, First>{});
  }
}

namespace internal {

template <class F, int... At>
decltype(auto) call_with_gpus(F& f, std::integer_sequence<int, At...>) {
  return f(Cuda<At>{}...);
}
template <int Count, class F>
decltype(auto) call_with_at_most(F& f, int count) {
  if constexpr (Count == 0) {
    return f(Cpu{});
  } else {
    using All = std::make_integer_sequence<int, Count>;
    static_assert(
        std::same_as<decltype(call_with_gpus(f, All{})), std::invoke_result_t<F&, Cpu>>,
        "with_gpus: f gives another type for each number of GPUs; return a tensor of one device, .to(cpu), or "
        "nothing");
    if (count >= Count) return call_with_gpus(f, All{});
    return call_with_at_most<Count - 1>(f, count);
  }
}

}  // namespace internal

/// Calls `f` with all GPUs of this machine, `f(gpu<0>, gpu<1>, ...)`, at most `Most`, or with the CPU if there are none,
/// `f(cpu)`. `f` is instantiated for every number, and must return the same type for each, as for `with_device`.
///
///     with_gpus<4>([&](auto... devices) { print(gather(sum<1>(shard<0>(x, devices...)), cpu)); });
template <int Most, class F>
  requires(Most > 0)
decltype(auto) with_gpus(F&& f) {
  return internal::call_with_at_most<Most>(f, device_count<Cuda>());
}

/// The printed name of the device held: `"cuda:0"`, `"cpu"`.
template <Device First, Device... Rest>
[[nodiscard]] std::string device_name(const AnyDevice<First, Rest...>& device) {
  return std::visit([](auto d) { return decltype(d)::name(); }, device);
}

/// Writes `device_name(device)`: `std::cout << x.device()`.
template <class Traits, Device D>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream, D) {
  return stream << D::name();
}
// The first device is a parameter of its own: nothing is deduced from an overload set such as `std::endl`, so a lone
// pack would be empty, and a variant cannot be.
template <class Traits, Device First, Device... Rest>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream,
                                             const AnyDevice<First, Rest...>& device) {
  return stream << device_name(device);
}

/// The device of `D` with this name: `"cpu"`, `"pinned"`, `"cuda:1"`, and `"cuda"` for `"cuda:0"`. Throws `ValueError`
/// with the valid names for any other, and `DeviceUnavailable` for a GPU that this machine does not have: a device
/// requested by name is never replaced by another. Without `D` the choice is between `Cpu` and `Cuda<0>`.
///
///     const auto device = parse_device<Cpu, Cuda<0>, Cuda<1>>(argv[1]);   // AnyDevice<Cpu, Cuda<0>, Cuda<1>>
///     with_device(device, [](auto device) { print(ones<float>({2, 3}, device)); });
template <Device... D>
  requires(sizeof...(D) > 0)
[[nodiscard]] AnyDevice<D...> parse_device(std::string_view name) {
  // Up to a space, as in "cuda:0 (emulated)"; the full `device_name` is accepted too.
  const auto spelling = [](const std::string& full) { return full.substr(0, full.find(' ')); };
  const std::string wanted(name == "cuda" ? "cuda:0" : name);
  AnyDevice<D...> found;
  const auto holds = [&](auto device) {
    const std::string full = device_name(device);
    if (wanted != full && wanted != spelling(full)) return false;
    if constexpr (!HostDevice<decltype(device)>) {
      if (!is_available(device)) decltype(device)::fail();
    }
    found = device;
    return true;
  };
  if (!(holds(D{}) || ...)) {
    std::string names;
    ((names += (names.empty() ? "" : ", ") + spelling(D::name())), ...);
    throw ValueError("parse_device: \"" + std::string(name) + "\" is not one of the devices to choose from: " + names +
                     "; others must be named in the program, as in parse_device<Cpu, Cuda<0>, Cuda<1>>(name)");
  }
  return found;
}
[[nodiscard]] inline AnyDevice<Cpu, Cuda<0>> parse_device(std::string_view name) {
  return parse_device<Cpu, Cuda<0>>(name);
}

}  // namespace situ

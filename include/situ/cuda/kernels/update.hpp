// SPDX-License-Identifier: Apache-2.0
// The kernel that changes several arrays of one length together by a functor of their elements: the step of an
// optimiser.
#pragma once

#include <situ/core/pack.hpp>
#include <situ/cuda/api/convert.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/layout.hpp>
#include <situ/cuda/runtime/launch.hpp>

#if defined(SITU_CUDA)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace situ::internal::cuda {

namespace detail {

template <class... T>
struct Arrays {};

template <class F, class Targets, class Operands>
struct Update;

/// A thread computes one vector of 16 bytes of the widest type: with the four arrays of Adam, 64 bytes are on the way
/// to it. All that it reads is loaded before it stores, and no other thread reads that: arrays may be changed in place.
template <class F, class... Target, class... Operand>
struct Update<F, Arrays<Target...>, Arrays<Operand...>> {
  static constexpr int threads = 256;
  static constexpr const char* name = "update";
  static constexpr int width = static_cast<int>(16 / std::max({sizeof(Target)..., sizeof(Operand)...}));
  static constexpr int tile = threads * width;
  static constexpr std::size_t targets = sizeof...(Target);

  F function;
  const void* from[targets];
  const void* operands[sizeof...(Operand)];
  void* to[targets];
  std::int64_t count;
  bool aligned;  // every pointer, for vectors

  SITU_DEVICE void operator()() const {
    const std::int64_t first = kernel::block() * tile + kernel::thread() * width;
    if (aligned && first + width <= count) {
      compute<width>(first, std::index_sequence_for<Target...>{}, std::index_sequence_for<Operand...>{});
    } else {
      for (std::int64_t i = first; i < first + width && i < count; ++i)
        compute<1>(i, std::index_sequence_for<Target...>{}, std::index_sequence_for<Operand...>{});
    }
  }

 private:
  template <int V, class T>
  SITU_DEVICE static kernel::Vector<T, V> loaded(const void* data, std::int64_t at) {
    return *reinterpret_cast<const kernel::Vector<T, V>*>(static_cast<const T*>(data) + at);
  }
  template <class T>
  SITU_DEVICE static compute_t<T> value(T element) {
    return kernel::converted<compute_t<T>>(element);
  }

  template <int V, std::size_t... At, std::size_t... In>
  SITU_DEVICE void compute(std::int64_t at, std::index_sequence<At...>, std::index_sequence<In...>) const {
    const Pack<kernel::Vector<Target, V>...> old{{{loaded<V, Target>(from[At], at)}...}};
    const Pack<kernel::Vector<Operand, V>...> read{{{loaded<V, Operand>(operands[In], at)}...}};
    Results<V> results;
    kernel::unrolled<V>([&](int e) {
      const auto values = function(value(get<At>(old).element[e])..., value(get<In>(read).element[e])...);
      ((results.template at<At>().element[e] = kernel::converted<Target>(get<At>(values))), ...);
    });
    ((*reinterpret_cast<kernel::Vector<Target, V>*>(static_cast<Target*>(to[At]) + at) = results.template at<At>()),
     ...);
  }

  template <int V>
  struct Results : Pack<kernel::Vector<Target, V>...> {
    template <std::size_t At>
    SITU_DEVICE auto& at() {
      return slot(static_cast<SlotOf<At>&>(*this));
    }

   private:
    template <std::size_t At>
    using SlotOf = situ::internal::PackSlot<At, kernel::Vector<std::tuple_element_t<At, std::tuple<Target...>>, V>>;
    template <class Slot>
    SITU_DEVICE static auto& slot(Slot& slot) {
      return slot.value;
    }
  };
};

}  // namespace detail

/// For each of `count` elements: `function(from..., operands...)` gives a `Pack` of what goes to the places in `to`,
/// which may be those of `from`. Elements lie adjacent; 16-bit floats are computed in `float` and rounded at the end.
template <class F, class... Target, class... Operand>
void update_elements(const Backend& backend, const F& function, std::int64_t count,
                     const std::tuple<const Target*...>& from, const std::tuple<const Operand*...>& operands,
                     const std::tuple<Target*...>& to) {
  using Kernel = detail::Update<F, detail::Arrays<Target...>, detail::Arrays<Operand...>>;
  const auto aligned = [](const auto&... pointer) {
    return (is_aligned_to(pointer, static_cast<int>(sizeof(*pointer)) * Kernel::width) && ...);
  };
  const bool vectors = std::apply(aligned, from) && std::apply(aligned, operands) && std::apply(aligned, to);
  const Kernel kernel = [&]<std::size_t... At, std::size_t... In>(std::index_sequence<At...>,
                                                                  std::index_sequence<In...>) {
    return Kernel{function, {std::get<At>(from)...}, {std::get<In>(operands)...}, {std::get<At>(to)...}, count,
                  vectors};
  }(std::index_sequence_for<Target...>{}, std::index_sequence_for<Operand...>{});
  launch(backend, Grid{(count + Kernel::tile - 1) / Kernel::tile, 1}, kernel);
}

}  // namespace situ::internal::cuda

#endif

// SPDX-License-Identifier: Apache-2.0
// Several arrays of one length changed together by a functor of their elements, in one pass over memory: the step of an
// optimiser.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/pack.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/device/cpu.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::cpu {

namespace detail {

/// Below this number of elements a second thread costs more than it saves.
inline constexpr std::int64_t update_grain = 8192;

/// As many elements as make a full register of the narrower type, two of the wider.
inline constexpr int update_lanes = vector_bytes / 4;

/// The elements at `[i, i + update_lanes)`, `i` a multiple of that.
template <class F, class... Target, class... Operand, std::size_t... At, std::size_t... In>
[[gnu::always_inline]] inline void update_lane(const F& function, std::int64_t i,
                                               const std::tuple<const Target*...>& from,
                                               const std::tuple<const Operand*...>& operands,
                                               const std::tuple<Target*...>& to, std::index_sequence<At...>,
                                               std::index_sequence<In...>) {
  const auto values = function(load<Target, update_lanes>(std::get<At>(from) + i)...,
                               load<Operand, update_lanes>(std::get<In>(operands) + i)...);
  (store(std::get<At>(to) + i, get<At>(values)), ...);
}

/// Room for one lane of each of several arrays, from which the last elements are computed: by the same code as all
/// others, so that a value does not depend on where it stands.
template <class... T>
struct PaddedLane {
  alignas(64) std::tuple<std::array<T, update_lanes>...> lanes;

  PaddedLane(const std::tuple<const T*...>& from, std::int64_t begin, std::int64_t count) {
    each([&](auto& lane, auto at) {
      lane.fill(std::get<at>(from)[begin]);
      std::copy_n(std::get<at>(from) + begin, count, lane.begin());
    });
  }
  template <class F>
  void each(F&& f) {
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      (f(std::get<At>(lanes), std::integral_constant<std::size_t, At>{}), ...);
    }(std::index_sequence_for<T...>{});
  }
  [[nodiscard]] std::tuple<T*...> pointers() {
    return std::apply([](auto&... lane) { return std::tuple<T*...>(lane.data()...); }, lanes);
  }
};

}  // namespace detail

/// For each of `count` elements: `function(from..., operands...)` gives a `Pack` of what goes to the places in `to`,
/// which may be those of `from`. Elements lie adjacent; 16-bit floats are computed in `float` and rounded at the end.
template <class F, class... Target, class... Operand>
void update_elements(Backend, const F& function, std::int64_t count, const std::tuple<const Target*...>& from,
                     const std::tuple<const Operand*...>& operands, const std::tuple<Target*...>& to) {
  constexpr auto targets = std::index_sequence_for<Target...>{};
  constexpr auto inputs = std::index_sequence_for<Operand...>{};
  constexpr std::int64_t lanes = detail::update_lanes;
  parallel_for(0, count, detail::update_grain, [&](std::int64_t begin, std::int64_t end) {
    // Copies, which the compiler keeps in registers: a store cannot change them.
    const F local = function;
    const auto read = from;
    const auto more = operands;
    const auto written = to;
    for (; begin + lanes <= end; begin += lanes) {
      detail::update_lane(local, begin, read, more, written, targets, inputs);
    }
    if (begin == end) return;
    detail::PaddedLane<Target...> padded(read, begin, end - begin);
    detail::PaddedLane<Operand...> padded_operands(more, begin, end - begin);
    detail::update_lane(local, 0, std::tuple<const Target*...>(padded.pointers()),
                        std::tuple<const Operand*...>(padded_operands.pointers()), padded.pointers(), targets, inputs);
    padded.each([&](auto& lane, auto at) { std::copy_n(lane.begin(), end - begin, std::get<at>(written) + begin); });
  });
}

}  // namespace situ::internal::cpu

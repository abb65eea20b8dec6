// SPDX-License-Identifier: Apache-2.0
// Runs a program on lanes: the one function that is instantiated for each expression. It computes a whole number of
// lanes from pointers; threads, strides and tails are the business of evaluation.hpp, which is not a template.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/core/pack.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/plan/evaluate.hpp>
#include <situ/plan/program.hpp>

namespace situ::internal::cpu {

/// Where a kernel reads a leaf: element `i` is at `data + (i & mask) * element_size`. A mask of 0 reads the same lane
/// every time, which holds copies of a single element; a mask of -1 reads adjacent elements.
struct LeafCursor {
  const std::byte* data;
  std::int64_t mask;
};

/// Computes `count` elements, a multiple of the kernel's lanes, into adjacent places.
using Kernel = void (*)(const void* program, const LeafCursor* cursors, void* out, std::int64_t count);

/// A kernel, and in what lanes it counts.
struct CompiledProgram {
  Kernel kernel;
  const void* program;
  int lanes;
  int out_size;  // bytes of an element it writes
};

/// The largest lane in bytes, over all programs.
inline constexpr int most_lane_bytes = 128;

namespace detail {

/// The widest element anywhere in a program; decides how many elements make a lane.
template <class Node>
inline constexpr int widest = static_cast<int>(sizeof(compute_t<typename Node::value_type>));
template <class F, class R, class... Nodes>
inline constexpr int widest<program::Call<F, R, Nodes...>> =
    std::max({static_cast<int>(sizeof(compute_t<R>)), widest<Nodes>...});

/// A full register of the narrowest kind, and never more than two of the widest.
template <class Node>
inline constexpr int lanes_of = widest<Node> == 1 ? vector_bytes : std::max(vector_bytes / 4, 2 * vector_bytes / 8);

template <int N, class T>
[[nodiscard]] std::array<T, std::size_t{N}> elements_of(const Lanes<T, N>& lanes) {
  alignas(64) std::array<T, std::size_t{N}> out;
  store(out.data(), lanes);
  return out;
}
template <int N, class T>
[[nodiscard]] std::array<bool, std::size_t{N}> elements_of(const Mask<T, N>& mask) {
  alignas(64) std::array<bool, std::size_t{N}> out;
  store(out.data(), mask);
  return out;
}

/// A user's functor, one element at a time.
template <int N, class F, class R, class... Lane>
[[gnu::noinline]] inline auto call_each(const F& function, const Lane&... lanes) {
  alignas(64) std::array<std::conditional_t<std::same_as<R, bool>, uint8_t, compute_t<R>>, std::size_t{N}> out;
  [&]<class... T>(const std::array<T, std::size_t{N}>&... in) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(N); ++j) {
      out[j] = static_cast<typename decltype(out)::value_type>(static_cast<compute_t<R>>(function(in[j]...)));
    }
  }(elements_of<N>(lanes)...);
  if constexpr (std::same_as<R, bool>) return load<uint8_t, N>(out.data()) != Lanes<uint8_t, N>(uint8_t{0});
  else return load<compute_t<R>, N>(out.data());
}

/// Computes `N` elements, those of the leaves from `i` on.
template <int N>
struct LaneMachine : program::TreeMachine {
  const LeafCursor* cursors;
  std::int64_t i;

  template <class T, int At>
  [[gnu::always_inline]] auto leaf(const program::Leaf<T, At>&) const {
    return load<T, N>(reinterpret_cast<const T*>(cursors[At].data) + (i & cursors[At].mask));
  }
  template <class T>
  [[gnu::always_inline]] static auto constant(const program::Constant<T>& constant) {
    if constexpr (std::same_as<T, bool>) return Mask<uint8_t, N>(constant.value);
    else return Lanes<compute_t<T>, N>(constant.value);
  }
  template <class T, class V>
  [[gnu::always_inline]] static auto rounded(V value) {
    return round_to<T>(value);
  }
  template <class R, class F, class... Lane>
  [[gnu::always_inline]] static auto call_each(const F& function, const Lane&... lanes) {
    return detail::call_each<N, F, R>(function, lanes...);
  }
};

template <class Program, class Out, int N>
void kernel(const void* program, const LeafCursor* cursors, void* out, std::int64_t count) {
  // Copies, which the compiler keeps in registers: a store through `out` cannot change them.
  const Program local = *static_cast<const Program*>(program);
  constexpr int leaf_count = program::leaf_count_v<Program>;
  std::array<LeafCursor, std::size_t{leaf_count == 0 ? 1 : leaf_count}> at;
  if constexpr (leaf_count > 0) std::copy_n(cursors, leaf_count, at.begin());
  for (std::int64_t i = 0; i < count; i += N) {
    const LaneMachine<N> machine{{}, at.data(), i};
    store(static_cast<Out*>(out) + i, program::evaluate<Program>(machine, local));
  }
}

}  // namespace detail

/// The kernel that computes `program` into elements of type `Out`: its own element type, or the type it computes in.
template <class Out, class Program>
[[nodiscard]] CompiledProgram compile(const Program& program) noexcept {
  static_assert(std::is_trivially_copyable_v<Program>, "a functor given to map must be trivially copyable");
  constexpr int lanes = detail::lanes_of<Program>;
  static_assert(lanes * detail::widest<Program> <= most_lane_bytes);
  return {&detail::kernel<Program, Out, lanes>, &program, lanes, static_cast<int>(sizeof(Out))};
}

}  // namespace situ::internal::cpu

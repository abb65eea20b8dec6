// SPDX-License-Identifier: Apache-2.0
// Runs a program on lanes: the only function that is instantiated for each expression. It computes a whole number of
// lanes from pointers; evaluation.hpp, which is not a template, handles threads, strides and tails.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/core/pack.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/transpose.hpp>
#include <situ/plan/evaluate.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/unit.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// Computes `count` elements, a multiple of the kernel's lanes, into contiguous memory at `out`. Element `i` of a leaf
/// is at `leaves[leaf] + (i & masks[leaf]) * element_size`: a mask of 0 reads the same lane every time, one of -1
/// contiguous elements, as all do if `masks` is null. A program with `Several` results reads only contiguous elements,
/// and `out` is the array of its destinations. `past_cache`: with non-temporal stores, if the program has `streams`,
/// and `out` is aligned to a cache line.
using Kernel = void (*)(const void* program, const void* const* leaves, const std::int64_t* masks, void* out,
                        std::int64_t count, bool past_cache);

/// `transpose_plane` (cpu/transpose.hpp) of elements of a size that a program reads.
using PlaneTranspose = void (*)(int element_size, const std::byte* from, std::int64_t from_stride, std::byte* to,
                                std::int64_t to_stride, std::int64_t rows, std::int64_t columns);

/// A kernel, and its number of lanes.
struct CompiledProgram {
  Kernel kernel;
  const void* program;
  int lanes;     // a power of two
  int out_size;  // bytes of an element it writes
  bool streams;  // whether it can write past the cache
  PlaneTranspose transpose;
};

/// The largest lane in bytes, over all programs.
inline constexpr int most_lane_bytes = 128;

/// The most results that a program can have.
inline constexpr int most_results = 4;

namespace detail {

/// The widest element anywhere in a program; determines how many elements make a lane.
template <class Result>
inline constexpr int width = static_cast<int>(sizeof(compute_t<Result>));
template <class... T>
inline constexpr int width<program::Several<T...>> = std::max({width<T>...});
template <class Node>
inline constexpr int widest = width<typename Node::value_type>;
template <class F, class R, class... Nodes>
inline constexpr int widest<program::Call<F, R, Nodes...>> = std::max({width<R>, widest<Nodes>...});

/// A full register of the narrowest kind, and never more than two of the widest.
template <class Node>
inline constexpr int lanes_of = widest<Node> == 1    ? vector_bytes
                                : widest<Node> == 16 ? vector_bytes / 8
                                                     : std::max(vector_bytes / 4, 2 * vector_bytes / 8);

/// The lanes in which `Size` elements of `T` are computed.
template <class T, int Size>
using lanes_for_t = rebind_lane_t<Lanes<uint8_t, Size>, T>;

template <int Size, class T>
[[nodiscard]] std::array<T, std::size_t{Size}> elements_of(const Lanes<T, Size>& lanes) {
  alignas(64) std::array<T, std::size_t{Size}> out;
  store(out.data(), lanes);
  return out;
}
template <int Size, class T>
[[nodiscard]] std::array<bool, std::size_t{Size}> elements_of(const Mask<T, Size>& mask) {
  alignas(64) std::array<bool, std::size_t{Size}> out;
  store(out.data(), mask);
  return out;
}

/// `Size` elements; complex ones, whose lanes are not this backend's, by their own machine.
template <class T, int Size>
[[SITU_INLINE]] inline auto load_each(const T* from) {
  if constexpr (ComplexElement<T>) return lanes_for_t<T, Size>::load(from);
  else return load<T, Size>(from);
}

/// A user's functor, one element at a time.
template <int Size, class F, class R, class... Lane>
[[gnu::noinline]] inline auto call_each(const F& function, const Lane&... lanes) {
  alignas(64) std::array<std::conditional_t<std::same_as<R, bool>, uint8_t, compute_t<R>>, std::size_t{Size}> out;
  [&]<class... T>(const std::array<T, std::size_t{Size}>&... in) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(Size); ++j) {
      out[j] = static_cast<typename decltype(out)::value_type>(static_cast<compute_t<R>>(function(in[j]...)));
    }
  }(elements_of<Size>(lanes)...);
  if constexpr (std::same_as<R, bool>) return load<uint8_t, Size>(out.data()) != Lanes<uint8_t, Size>(uint8_t{0});
  else return load_each<compute_t<R>, Size>(out.data());
}

/// Computes `Size` elements, those of the leaves from `i` on.
template <int Size>
struct LaneMachine : program::TreeMachine {
  const void* const* leaves;
  std::int64_t i;

  template <class T, int At>
  [[SITU_INLINE]] auto leaf(const program::Leaf<T, At>&) const {
    return load_each<T, Size>(static_cast<const T*>(leaves[At]) + i);
  }
  template <class T>
  [[SITU_INLINE]] static auto constant(const program::Constant<T>& constant) {
    if constexpr (std::same_as<T, bool>) return Mask<uint8_t, Size>(constant.value);
    else return lanes_for_t<compute_t<T>, Size>(constant.value);
  }
  template <class T, class V>
  [[SITU_INLINE]] static auto rounded(V value) {
    return round_to<T>(value);
  }
  template <class R, class F, class... Lane>
  [[SITU_INLINE]] static auto call_each(const F& function, const Lane&... lanes) {
    return detail::call_each<Size, F, R>(function, lanes...);
  }
};

/// Results that are stored while they are computed, register by register.
template <class... Out>
inline constexpr bool is_plain = false;
template <class Out>
inline constexpr bool is_plain<Out> = std::is_arithmetic_v<Out> && !std::same_as<Out, bool>;

template <class... Out, class Values, std::size_t... At>
[[SITU_INLINE]] inline void store_each(void* const* out, std::int64_t i, const Values& values, bool past_cache,
                                       std::index_sequence<At...>) {
  if constexpr (is_plain<Out...>) {
    if (past_cache) return (stream(static_cast<Out*>(out[At]) + i, program::result<At>(values)), ...);
  }
  (store(static_cast<Out*>(out[At]) + i, program::result<At>(values)), ...);
}

/// Whether every node is only an instruction or two, also for integers: such a program justifies a second loop, without
/// masks, and the time to compile it.
template <class Node>
inline constexpr bool is_light = true;
template <class F, class R, class... Nodes>
inline constexpr bool is_light<program::Call<F, R, Nodes...>> =
    requires { requires F::template accepts<std::int32_t>; } && OneOf<R, float, double, std::int32_t> &&
    program::node_count_v<program::Call<F, R, Nodes...>> <= 8 && (is_light<Nodes> && ...);

/// The whole lanes of a span with contiguous leaves.
template <int Size, class... Out, class Program, std::size_t Leaves>
[[SITU_INLINE]] inline void for_each_lane(const Program& program, const std::array<const void*, Leaves>& leaves,
                                          const std::array<void*, sizeof...(Out)>& places, std::int64_t count,
                                          bool past_cache) {
  for (std::int64_t i = 0; i < count; i += Size) {
    const auto value = program::evaluate<Program>(LaneMachine<Size>{{}, leaves.data(), i}, program);
    store_each<Out...>(places.data(), i, value, past_cache, std::index_sequence_for<Out...>{});
  }
}

/// The whole lanes of a span in which each leaf advances by its own step in bytes: one addition each, instead of two
/// instructions to mask an index.
template <int Size, class... Out, class Program, std::size_t... Leaf>
[[SITU_INLINE]] inline void for_each_lane_stepping(const Program& program,
                                                   std::array<const void*, sizeof...(Leaf)> leaves,
                                                   const std::array<std::int64_t, sizeof...(Leaf)>& steps,
                                                   const std::array<void*, sizeof...(Out)>& places, std::int64_t count,
                                                   bool past_cache, std::index_sequence<Leaf...>) {
  for (std::int64_t i = 0; i < count; i += Size) {
    const auto value = program::evaluate<Program>(LaneMachine<Size>{{}, leaves.data(), 0}, program);
    store_each<Out...>(places.data(), i, value, past_cache, std::index_sequence_for<Out...>{});
    ((leaves[Leaf] = static_cast<const std::byte*>(leaves[Leaf]) + steps[Leaf]), ...);
  }
}

/// The bytes of a lane of each leaf.
template <int Size, class List>
inline constexpr std::int64_t lane_bytes[] = {0};
template <int Size, class First, class... Rest>
inline constexpr std::int64_t lane_bytes<Size, program::TypeList<First, Rest...>>[] = {Size * sizeof(First),
                                                                                       Size * sizeof(Rest)...};

template <class Program, int Size, class... Out>
void kernel(const void* program, const void* const* leaves, const std::int64_t* masks, void* out, std::int64_t count,
            bool past_cache) {
  // Copies, which the compiler keeps in registers: a store through `out` cannot change them.
  const Program local = *static_cast<const Program*>(program);
  constexpr std::size_t leaf_count = program::leaf_count_v<Program>;
  constexpr bool several = program::is_several<typename Program::value_type>;
  std::array<const void*, leaf_count> data;
  for (std::size_t leaf = 0; leaf != leaf_count; ++leaf) data[leaf] = leaves[leaf];  // copy_n would stall on the stores
  std::array<void*, sizeof...(Out)> places{out};
  if constexpr (several) std::copy_n(static_cast<void* const*>(out), places.size(), places.begin());
  if constexpr (several) {
    for_each_lane<Size, Out...>(local, data, places, count, past_cache);
  } else {
    if constexpr (is_light<Program>) {
      if (masks == nullptr) return for_each_lane<Size, Out...>(local, data, places, count, past_cache);
    }
    std::array<std::int64_t, leaf_count> steps;
    for (std::size_t leaf = 0; leaf != leaf_count; ++leaf) {
      steps[leaf] = lane_bytes<Size, program::leaf_types<Program>>[leaf] & (masks == nullptr ? -1 : masks[leaf]);
    }
    for_each_lane_stepping<Size, Out...>(local, data, steps, places, count, past_cache,
                                         std::make_index_sequence<leaf_count>{});
  }
}

/// A `PlaneTranspose` for the sizes in a sum of different sizes: only these are compiled.
template <int Sizes>
[[gnu::noinline]] void transpose_some(int element_size, const std::byte* from, std::int64_t from_stride, std::byte* to,
                                      std::int64_t to_stride, std::int64_t rows, std::int64_t columns) {
  const auto transpose = [&]<int Size>(std::integral_constant<int, Size>) {
    if constexpr ((Sizes & Size) != 0) {
      using Alias = alias_of_t<unit_t<Size>>;  // the elements may have any type of this size
      if (element_size == Size) {
        transpose_plane(reinterpret_cast<const Alias*>(from), from_stride, reinterpret_cast<Alias*>(to), to_stride,
                        rows, columns);
      }
    }
  };
  [&]<int... Size>(std::integer_sequence<int, Size...>) {
    (transpose(std::integral_constant<int, Size>{}), ...);
  }(std::integer_sequence<int, 1, 2, 4, 8, 16>{});
}

/// The sizes of the leaves' elements.
template <class List>
inline constexpr int sizes_in = 0;
template <class... Leaf>
inline constexpr int sizes_in<program::TypeList<Leaf...>> = (0 | ... | static_cast<int>(sizeof(Leaf)));

/// Whether a program is a leaf whose elements, of type `T`, are its values.
template <class Program, class T>
inline constexpr bool is_leaf_of = false;
template <class T, int At, class U>
inline constexpr bool is_leaf_of<program::Leaf<T, At>, U> = std::same_as<T, U>;

}  // namespace detail

/// The kernel that computes `program` into elements of type `Out`: its own element type, or the type it computes in;
/// for a program with `Several` results, one type for each.
template <class... Out, class Program>
[[nodiscard]] CompiledProgram kernel_of(const Program& program) noexcept {
  static_assert(std::is_trivially_copyable_v<Program>, "a functor given to map must be trivially copyable");
  static_assert(sizeof...(Out) <= most_results);
  constexpr int lanes = detail::lanes_of<Program>;
  static_assert(lanes * detail::widest<Program> <= most_lane_bytes && (lanes & (lanes - 1)) == 0);
  return {&detail::kernel<Program, lanes, Out...>,
          &program,
          lanes,
          static_cast<int>((0 + ... + sizeof(Out))),
          detail::is_plain<Out...>,
          &detail::transpose_some<detail::sizes_in<program::leaf_types<Program>>>};
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu

// SPDX-License-Identifier: Apache-2.0
// Reduces elements while they are computed: for an expression of a few instructions that takes less time than writing
// its elements to a tile and reading them again.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/program_lanes.hpp>
#include <situ/cpu/reduce/lane_fold.hpp>
#include <situ/plan/evaluate.hpp>
#include <situ/plan/program.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// Does what `Reducer::row` does, for elements computed from leaves as a `Kernel` reads them: `count` of them, a
/// multiple of `together`, followed by elements `[begin, end)` of the array at `last`, which are fewer. If there are
/// computed ones, `before` of them precede these in the array, so that all have the positions in a register that they
/// have in a row.
struct ComputedRow {
  void (*reduce)(void* state, const void* program, const void* const* leaves, const std::int64_t* masks,
                 std::int64_t count, const void* last, std::int64_t begin, std::int64_t end) = nullptr;
  std::int64_t together = 0;
  std::int64_t before = 0;
};

namespace detail {

/// A barrier for optimization: fusing a product in the expression with the addition of a sum would give other bits than
/// elements that are written and read.
template <class T, int Size>
[[SITU_INLINE]] inline void complete(Lanes<T, Size>& values) {
  for (auto& part : values.part) {
#if defined(__AVX512F__)
    asm("" : "+v"(part));
#elif defined(__x86_64__)
    asm("" : "+x"(part));
#elif defined(__aarch64__)
    asm("" : "+w"(part));
#else
    asm("" : "+m"(part));
#endif
  }
}

/// The partial results of `LaneFold::block`; a computed element is added to the same one as an element that is read.
template <class Fold, class Program, std::size_t... Group, std::size_t... Leaf>
void computed_row(void* state, const void* program, const void* const* leaves, const std::int64_t* masks,
                  std::int64_t count, const void* last, std::int64_t begin, std::int64_t end,
                  std::index_sequence<Group...>, std::index_sequence<Leaf...>) {
  using Kernels = LaneFold<Fold>;
  using T = typename Fold::Value;
  constexpr int lanes = lanes_of<Program>;
  const Program local = *static_cast<const Program*>(program);
  std::array<const void*, sizeof...(Leaf)> at{leaves[Leaf]...};
  const std::array<std::int64_t, sizeof...(Leaf)> steps{
      (lane_bytes<lanes, program::leaf_types<Program>>[Leaf] & (masks == nullptr ? -1 : masks[Leaf]))...};
  std::array<Lanes<T, lanes>, sizeof...(Group)> sums{
      (static_cast<void>(Group), Lanes<T, lanes>(Kernels::block_identity))...};
  const auto add = [&](Lanes<T, lanes>& sum) SITU_INLINE_LAMBDA {
    Lanes<T, lanes> values = program::evaluate<Program>(LaneMachine<lanes>{{}, at.data(), 0}, local);
    complete(values);
    sum = Fold::combine(sum, Fold::lift(values));
    ((at[Leaf] = static_cast<const std::byte*>(at[Leaf]) + steps[Leaf]), ...);
  };
  for (std::int64_t i = 0; i < count; i += Kernels::wide) (add(sums[Group]), ...);
  Lanes<T, Kernels::wide> joined;
  constexpr std::size_t registers = Lanes<T, lanes>::registers;
  const auto join = [&]<std::size_t... R>(std::size_t group, std::index_sequence<R...>)
                        SITU_INLINE_LAMBDA { ((joined.part[group * registers + R] = sums[group].part[R]), ...); };
  (join(Group, std::make_index_sequence<registers>{}), ...);
  Kernels::add_block(state, Kernels::finish_block(joined, static_cast<const T*>(last), begin, end));
}

template <class Fold, class Program>
void computed_row(void* state, const void* program, const void* const* leaves, const std::int64_t* masks,
                  std::int64_t count, const void* last, std::int64_t begin, std::int64_t end) {
  computed_row<Fold, Program>(state, program, leaves, masks, count, last, begin, end,
                              std::make_index_sequence<std::size_t{LaneFold<Fold>::wide / lanes_of<Program>}>{},
                              std::make_index_sequence<program::leaf_count_v<Program>>{});
}

/// For sums of floats that take only a few instructions to compute, in lanes of whole registers.
template <class Fold, class Program>
inline constexpr bool is_reduced_as_computed = false;
template <class Fold, class F, class R, class... Nodes>
  requires(std::floating_point<R> && std::same_as<R, typename Fold::Value> && std::same_as<R, typename Fold::Block> &&
           !LaneFold<Fold>::looks_for_nan)
inline constexpr bool is_reduced_as_computed<Fold, program::Call<F, R, Nodes...>> =
    is_light<program::Call<F, R, Nodes...>> && program::leaf_count_v<program::Call<F, R, Nodes...>> != 0 &&
    lanes_of<program::Call<F, R, Nodes...>> * static_cast<int>(sizeof(R)) % vector_bytes == 0 &&
    LaneFold<Fold>::wide % lanes_of<program::Call<F, R, Nodes...>> == 0;

}  // namespace detail

/// The function for a fold over a program; null if elements are written and read again.
template <class Fold, class Program>
[[nodiscard]] constexpr ComputedRow computed_row_of() noexcept {
  if constexpr (detail::is_reduced_as_computed<Fold, Program>) {
    return {detail::computed_row<Fold, Program>, LaneFold<Fold>::wide, LaneFold<Fold>::narrow};
  } else {
    return {};
  }
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu

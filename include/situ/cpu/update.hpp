// SPDX-License-Identifier: Apache-2.0
// The step of an optimizer on host devices: all its parameters in one parallel loop.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <situ/core/dtype.hpp>
#include <situ/core/reserved_list.hpp>
#include <situ/cpu/elementwise.hpp>
#include <situ/cpu/program_lanes.hpp>
#include <situ/cpu/program_span.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/update.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// One set of tensors, with the program of its functor.
struct UpdatePart {
  CompiledProgram compiled;
  const void* const* from;
  void* const* to;
  std::int64_t count;
  std::int64_t first;  // in the numbering of all elements, where each set begins a new cache line
};

/// The elements `[begin, end)` of a set.
inline void update_part(const UpdatePart& part, std::span<const int> operand_sizes, std::span<const int> result_sizes,
                        std::int64_t begin, std::int64_t end) {
  std::array<const void*, most_leaves> leaves;
  std::array<Place, most_results> places;
  for (std::size_t leaf = 0; leaf < operand_sizes.size(); ++leaf) {
    leaves[leaf] = static_cast<const std::byte*>(part.from[leaf]) + begin * operand_sizes[leaf];
  }
  for (std::size_t r = 0; r < result_sizes.size(); ++r) {
    places[r] = {static_cast<std::byte*>(part.to[r]) + begin * result_sizes[r], result_sizes[r]};
  }
  run_span(part.compiled, {leaves.data(), nullptr, operand_sizes.data(), static_cast<int>(operand_sizes.size())},
           std::span<const Place>(places.data(), result_sizes.size()), end - begin);
}

/// Threads take ranges of the numbering, and so parts of large sets or many small ones.
template <std::same_as<Backend> B>
void update_parts(B, std::span<const UpdatePart> parts, std::span<const int> operand_sizes,
                  std::span<const int> result_sizes) {
  const std::int64_t grain = elementwise_grain / static_cast<std::int64_t>(result_sizes.size());
  const UpdatePart& last = parts.back();
  parallel_for(0, last.first + last.count, grain, [&](std::int64_t begin, std::int64_t end) {
    auto part = std::upper_bound(parts.begin(), parts.end(), begin,
                                 [](std::int64_t at, const UpdatePart& each) { return at < each.first; }) -
                1;
    for (; part != parts.end() && part->first < end; ++part) {
      const std::int64_t from = std::max<std::int64_t>(begin - part->first, 0);
      const std::int64_t to = std::min(end - part->first, part->count);
      if (from < to) update_part(*part, operand_sizes, result_sizes, from, to);
    }
  });
}

}  // namespace detail

/// Changes several sets of tensors by the functor `settings(rate, made)`.
template <Element U, Element... T, class Settings>
void update_several(Backend backend, const Settings& settings, const program::Rate& rate,
                    std::span<const program::Update<sizeof...(T) + 1, sizeof...(T)>> updates) {
  using Program = program::update_program_t<program::step_t<Settings>, U, T...>;
  constexpr std::int64_t line = 64;
  static constexpr int operand_sizes[] = {static_cast<int>(sizeof(T))..., static_cast<int>(sizeof(U))};
  static constexpr int result_sizes[] = {static_cast<int>(sizeof(T))...};
  ReservedList<Program> programs(updates.size());
  ReservedList<detail::UpdatePart> parts(updates.size());
  const Program* program = nullptr;
  std::int64_t first = 0, made = 0;
  for (const auto& update : updates) {
    if (program == nullptr || update.made != made) {
      made = update.made;
      program = &programs.add(Program{settings(rate.in_memory == nullptr ? rate.value : *rate.in_memory, made), {}});
    }
    parts.add(kernel_of<T...>(*program), update.from.data(), update.to.data(), update.count, first);
    first += (update.count + line - 1) / line * line;
  }
  if (parts.size() > 0) {
    detail::update_parts(backend, std::span<const detail::UpdatePart>(parts.data(), parts.size()), operand_sizes,
                         result_sizes);
  }
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu

// SPDX-License-Identifier: Apache-2.0
// Element-wise expressions on GPUs, each in one pass over memory, or several in one.
#pragma once

#include <situ/cuda/kernels/copy.hpp>
#include <situ/cuda/kernels/elementwise_kernels.hpp>
#include <situ/cuda/kernels/layout.hpp>
#include <situ/cuda/kernels/program_source.hpp>
#include <situ/cuda/runtime/launch.hpp>

#if defined(SITU_CUDA)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace situ::internal::cuda {

namespace detail {

[[nodiscard]] inline Grid grid_of(std::int64_t count, int tile) { return {(count + tile - 1) / tile, 1}; }

template <class Program, class... T>
void launch_flat(const Backend& backend, const Program& program, std::span<const program::Operand> leaves,
                 std::int64_t count, T*... out) {
  constexpr int width = vector_width<Program, T...>;
  constexpr int vectors = vectors_per_thread<Program, width, static_cast<int>(sizeof...(T))>;
  using Kernel = FlatElementwise<Program, width, vectors, T...>;
  static_assert(sizeof(Kernel) <= 4096, "the functors of this expression hold more state than a kernel can take");
  const bool aligned =
      are_aligned_for(leaves, width) && (is_aligned_for(out, static_cast<int>(sizeof(T)), width) && ...);
  launch(backend, grid_of(count, Kernel::tile), Kernel{{program, leaves}, make_pack(out...), count, aligned});
}

/// Prepares the layout for the kernel for any strides, and returns whether it moves `width` elements at once: if all
/// operands and their innermost axes allow it.
[[nodiscard]] inline bool moves_vectors(OperandLayout& layout, std::span<const program::Operand> leaves,
                                        const program::Destination& to, int width) {
  const int last = static_cast<int>(leaves.size());
  const program::Operand result{to.data, to.element_size, {}};
  bool aligned = true;
  for (int i = 0; aligned && i <= last; ++i) {
    const program::Operand& operand = i < last ? leaves[static_cast<std::size_t>(i)] : result;
    aligned = (i < last && layout.stride(layout.rank() - 1, i) == 0) ||
              is_aligned_for(first_element(operand, layout.origin(i)), operand.element_size, width);
  }
  if (aligned && layout.vectors(width)) return true;
  layout.tile(32);
  return false;
}

template <int V, class T, class Program>
void launch_strided(const Backend& backend, const Program& program, std::span<const program::Operand> leaves, T* out,
                    const OperandLayout& layout) {
  using Kernel = StridedElementwise<Program, strided_vectors_per_thread<Program, V>, T, V>;
  static_assert(sizeof(Kernel) <= 4096, "the functors of this expression hold more state than a kernel can take");
  const std::int64_t count = layout.count();
  launch(backend, grid_of(count, Kernel::tile),
         Kernel{{program, leaves, layout}, out + layout.origin(Kernel::leaves), count});
}

/// One of several expressions, or nothing in its place, and the layout of its operands if it differs from that of the
/// result.
template <class Result>
struct OneOfSeveral;
template <class T, class Program, std::size_t Leaves>
struct OneOfSeveral<program::Result<T, Program, Leaves>> {
  using Value = T;
  static constexpr int width = vector_width<Program, T>;
  template <int V>
  static constexpr int flat_vectors = vectors_per_thread<Program, V, 1>;
  template <int V>
  static constexpr int strided_vectors = strided_vectors_per_thread<Program, V>;
  template <int V, int U>
  using Flat = FlatElementwise<Program, V, U, T>;
  template <int V, int U>
  using Strided = StridedElementwise<Program, U, T, V>;

  const std::optional<program::Result<T, Program, Leaves>>& result;
  std::optional<OperandLayout> layout = std::nullopt;
  bool moves_vectors = true;

  [[nodiscard]] std::span<const program::Operand> leaves() const {
    return std::span<const program::Operand>(result->operands).first(std::size_t{leaf_count_v<Program>});
  }
  [[nodiscard]] T* out() const { return static_cast<T*>(result->to.data); }
  [[nodiscard]] bool is_flat() const { return !result || all_row_major(leaves(), result->to); }
  [[nodiscard]] bool fits_32_bits() const { return !layout || layout->fits_32_bits(); }
  void lay_out(int vector) {
    if (!result) return;
    layout.emplace(leaves(), result->to);
    moves_vectors = detail::moves_vectors(*layout, leaves(), result->to, vector);
  }

  template <int V, int U>
  [[nodiscard]] Flat<V, U> flat() const {
    if (!result) return {};
    const bool aligned = are_aligned_for(leaves(), V) && is_aligned_for(out(), static_cast<int>(sizeof(T)), V);
    return {{result->program, leaves()}, make_pack(out()), result->to.shape.count(), aligned};
  }
  /// With a part of the layout, or null for none.
  template <int V, int U>
  [[nodiscard]] Strided<V, U> strided(const OperandLayout* part) const {
    if (part == nullptr) return {};
    return {{result->program, leaves(), *part}, out() + part->origin(leaf_count_v<Program>), part->count()};
  }
};

/// Whether several expressions can share a kernel.
template <class... Results>
inline constexpr bool fit_together =
    sizeof(Together<typename OneOfSeveral<Results>::template Strided<1, 1>...>) <= 4096;

/// Launches the kernels of some of them, all with the same grid.
template <class... Kernels>
void launch_together(const Backend& backend, const Kernels&... kernels) {
  const std::int64_t count = std::max({kernels.count...});
  const int tile = std::max({Kernels::tile...});
  launch(backend, grid_of(count, tile), Together<Kernels...>{make_pack(kernels...)});
}

/// One of them, in parts that fit in 32 bits.
template <int V, int U, class... Part>
void launch_alone(const Backend& backend, const void* which, OperandLayout layout, const Part&... parts) {
  layout.for_each_part([&](const OperandLayout& part) {
    launch_together(backend, parts.template strided<V, U>(&parts == which ? &part : nullptr)...);
  });
}

template <int V, class... Part>
void launch_strided_together(const Backend& backend, const Part&... parts) {
  constexpr int U = std::min({Part::template strided_vectors<V>...});
  if ((parts.fits_32_bits() && ...)) {
    return launch_together(backend, parts.template strided<V, U>(parts.layout ? &*parts.layout : nullptr)...);
  }
  ((parts.layout ? launch_alone<V, U>(backend, &parts, *parts.layout, parts...) : static_cast<void>(0)), ...);
}

template <class... Part>
void compute_together(const Backend& backend, Part... parts) {
  constexpr int V = std::min({Part::width...});
  if ((parts.is_flat() && ...)) {
    constexpr int U = std::min({Part::template flat_vectors<V>...});
    return launch_together(backend, parts.template flat<V, U>()...);
  }
  (parts.lay_out(V), ...);
  if ((parts.moves_vectors && ...)) launch_strided_together<V>(backend, parts...);
  else launch_strided_together<1>(backend, parts...);
}

}  // namespace detail

/// Computes `program` over `to.shape` into `to`, whose elements are of type `T`. An operand may be exactly in the place
/// of the result.
///
/// A functor passed to `map` runs on the GPU: its `operator()` must be `constexpr` or `__host__ __device__`, and it
/// must be defined at namespace scope. For any other, nvcc reports that a `__host__` function is called from a
/// `__device__` function, and names it.
template <Element T, class Program>
void elementwise(const Backend& backend, const Program& program, std::span<const program::Operand> operands,
                 const program::Destination& to) {
  constexpr int leaf_count = leaf_count_v<Program>;
  constexpr int width = vector_width<Program, T>;
  const std::span<const program::Operand> leaves = operands.first(static_cast<std::size_t>(leaf_count));
  T* const out = static_cast<T*>(to.data);
  if (all_row_major(leaves, to)) return detail::launch_flat(backend, program, leaves, to.shape.count(), out);
  OperandLayout layout(leaves, to);
  const bool vectors = detail::moves_vectors(layout, leaves, to, width);
  layout.for_each_part([&](const OperandLayout& part) {
    if (vectors) detail::launch_strided<width>(backend, program, leaves, out, part);
    else detail::launch_strided<1>(backend, program, leaves, out, part);
  });
}

/// Computes those of several expressions of one shape that are present, each into its own row-major storage, in one
/// pass: shared operands are read from memory once.
template <class... T, class... Program, std::size_t... Leaves>
void elementwise(const Backend& backend, const std::optional<program::Result<T, Program, Leaves>>&... results) {
  if constexpr (detail::fit_together<program::Result<T, Program, Leaves>...>) {
    detail::compute_together(backend, detail::OneOfSeveral<program::Result<T, Program, Leaves>>{results}...);
  } else {
    ((results ? elementwise<T>(backend, results->program, results->operands, results->to) : static_cast<void>(0)), ...);
  }
}

}  // namespace situ::internal::cuda

#endif

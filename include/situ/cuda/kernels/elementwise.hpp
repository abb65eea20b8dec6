// SPDX-License-Identifier: Apache-2.0
// The kernels of the CUDA backend that compute an element-wise expression in one pass over memory, and its copies.
#pragma once

#include <situ/cuda/kernels/copy.hpp>
#include <situ/cuda/kernels/layout.hpp>
#include <situ/cuda/kernels/program_source.hpp>
#include <situ/cuda/runtime/launch.hpp>

#if defined(SITU_CUDA)

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace situ::internal::cuda {

namespace detail {

using program::node_count_v;

/// Threads of a block.
inline constexpr int elementwise_threads = 256;

/// How many vectors of V elements a thread computes: enough bytes on the way to hide the latency of memory, which takes
/// about 48 KiB a multiprocessor, and not so many elements that the code grows beyond what an expression is worth.
template <class Program, int V, int Results>
inline constexpr int vectors_per_thread = [] {
  constexpr int arrays = leaf_count_v<Program> + Results - 1;
  constexpr int wish = 24 < node_count_v<Program> || arrays > 4 ? 1 : arrays > 1 ? 2 : 4;
  constexpr int most_elements = V == 16 ? 32 : 16;
  return wish * V <= most_elements ? wish : most_elements / V;
}();

/// Every leaf lies as the destination does: one run of adjacent elements. The output may be a leaf: a thread loads all
/// that it reads before it stores, and no other thread reads that. (So neither pointer may be declared restrict.) A
/// program may have several results.
template <class Program, class... T>
struct FlatElementwise {
  static constexpr int threads = elementwise_threads;
  static constexpr const char* name = "elementwise";
  static constexpr int width = vector_width<Program, T...>;
  static constexpr int vectors = vectors_per_thread<Program, width, static_cast<int>(sizeof...(T))>;
  static constexpr int tile = threads * width * vectors;

  FlatSource<Program> source;
  Pack<T*...> out;
  std::int64_t count;
  bool aligned;  // every pointer, for vectors

  SITU_DEVICE void operator()() const {
    const std::int64_t first = kernel::block() * tile;
    if (aligned && count - first >= tile) {
      compute<width, vectors>(first + kernel::thread() * width, count);
    } else {
      // The last tile, and all of them where a view begins at an odd place: neighbouring threads take neighbouring
      // elements, in batches, so that some loads are on the way together.
      constexpr int batch = 24 < node_count_v<Program> ? 1 : 4;
      const std::int64_t end = count - first < tile ? count : first + tile;
#if defined(__CUDACC__)
#pragma unroll 1
#endif
      for (std::int64_t i = first + kernel::thread(); i < end; i += threads * batch) compute<1, batch>(i, end);
    }
  }

 private:
  /// `U` vectors of V elements, the first at `first` and the others one step of the block further each. What begins at
  /// `end` or later is not stored; for it the first element is computed again, which no other thread may be writing.
  template <int V, int U>
  SITU_DEVICE void compute(std::int64_t first, std::int64_t end) const {
    registers_t<Program, V> registers[std::size_t{U}];
    unrolled<U>([&](int u) {
      std::int64_t at = first + u * (threads * V);
      if constexpr (V == 1) at = at < end ? at : first;
      registers[u] = source.template load<V>(at);
    });
    unrolled<U>([&](int u) {
      Pack<kernel::Vector<T, V>...> results;
      unrolled<V>([&](int e) { set(results, e, source.value(registers[u], e), std::index_sequence_for<T...>{}); });
      const std::int64_t at = first + u * (threads * V);
      if (V > 1 || at < end) store(results, at, std::index_sequence_for<T...>{});
    });
  }
  template <int V, class Values, std::size_t... At>
  SITU_DEVICE static void set(Pack<kernel::Vector<T, V>...>& results, int e, const Values& values,
                              std::index_sequence<At...>) {
    ((get<At>(results).element[e] = static_cast<T>(program::result<At>(values))), ...);
  }
  template <int V, std::size_t... At>
  SITU_DEVICE void store(const Pack<kernel::Vector<T, V>...>& results, std::int64_t at,
                         std::index_sequence<At...>) const {
    ((*reinterpret_cast<kernel::Vector<T, V>*>(get<At>(out) + at) = get<At>(results)), ...);
  }
};

/// Any strides. The index is taken apart once a vector, for all operands together, the destination being the last one.
template <class Program, class T, int V>
struct StridedElementwise {
  static constexpr int threads = elementwise_threads;
  static constexpr const char* name = "elementwise, strided";
  static constexpr int leaves = leaf_count_v<Program>;
  static constexpr int vectors = 24 < node_count_v<Program> || leaves > 4 || V > 8 ? 1 : V == 1 && leaves <= 2 ? 4 : 2;
  static constexpr int tile = threads * V * vectors;
  using Source = StridedSource<Program, std::int32_t, leaves + 1>;

  Source source;
  T* out;
  std::int64_t count;  // below 2^31; a multiple of V

  SITU_DEVICE void operator()() const {
    const std::int64_t first = kernel::block() * tile + kernel::thread() * V;
    if (first >= count) return;
    std::int32_t at[std::size_t{vectors}];
    typename Source::Offsets places[std::size_t{vectors}];
    registers_t<Program, V> registers[std::size_t{vectors}];
    unrolled<vectors>([&](int u) {
      const std::int64_t wish = first + u * (threads * V);
      at[u] = static_cast<std::int32_t>(wish < count ? wish : first);  // the last one may be another thread's to write
    });
    source.strides.locate(at, places);
    unrolled<vectors>([&](int u) { registers[u] = source.template load<V>(places[u]); });
    unrolled<vectors>([&](int u) {
      kernel::Vector<T, V> result;
      unrolled<V>([&](int e) { result.element[e] = static_cast<T>(source.value(registers[u], e)); });
      if (first + u * (threads * V) < count) {
        *reinterpret_cast<kernel::Vector<T, V>*>(out + places[u].offset[leaves]) = result;
      }
    });
  }
};

[[nodiscard]] inline Grid grid_of(std::int64_t count, int tile) { return {(count + tile - 1) / tile, 1}; }

template <class Program, class... T>
void launch_flat(const Backend& backend, const Program& program, std::span<const program::Operand> leaves,
                 std::int64_t count, T*... out) {
  using Kernel = FlatElementwise<Program, T...>;
  static_assert(sizeof(Kernel) <= 4096, "the functors of this expression hold more than a kernel can be given");
  const bool aligned = are_aligned_for(leaves, Kernel::width) &&
                       (is_aligned_for(out, static_cast<int>(sizeof(T)), Kernel::width) && ...);
  launch(backend, grid_of(count, Kernel::tile), Kernel{{program, leaves}, make_pack(out...), count, aligned});
}

/// The layout for a kernel of any strides, and whether it moves `width` elements at once: if all operands and their
/// innermost axes allow for it.
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
  using Kernel = StridedElementwise<Program, T, V>;
  static_assert(sizeof(Kernel) <= 4096, "the functors of this expression hold more than a kernel can be given");
  const std::int64_t count = layout.count();
  launch(backend, grid_of(count, Kernel::tile),
         Kernel{{program, leaves, layout}, out + layout.origin(Kernel::leaves), count});
}

}  // namespace detail

/// Computes `program` over `to.shape` into `to`, whose elements are of type `T`. Operands may lie exactly where the
/// result goes.
///
/// A functor given to `map` runs on the GPU: its `operator()` is `constexpr` or `__host__ __device__`, and it stands at
/// namespace scope. nvcc says of any other that a `__host__` function is called from a `__device__` function, and names
/// it.
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

/// Computes those of several expressions of one shape that are there, each into row-major storage of its own.
template <class... T, class... Program, std::size_t... Leaves>
void elementwise(const Backend& backend, const std::optional<program::Result<T, Program, Leaves>>&... results) {
  ((results ? elementwise<T>(backend, results->program, results->operands, results->to) : static_cast<void>(0)), ...);
}

/// Computes the `Several` results of one program, `count` elements of each; operands and results lie row-major. Results
/// may go where operands lie.
template <Element... T, class Program>
void elementwise(const Backend& backend, const Program& program, std::span<const program::Operand> operands,
                 std::int64_t count, T*... to) {
  detail::launch_flat(backend, program, operands, count, to...);
}

}  // namespace situ::internal::cuda

#endif

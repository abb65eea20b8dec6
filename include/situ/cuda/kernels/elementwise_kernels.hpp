// SPDX-License-Identifier: Apache-2.0
// The kernels that compute an element-wise expression in one pass over memory: for operands with the layout of the
// result, for any strides, and for several expressions one after the other.
#pragma once

#include <situ/core/pack.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/program_source.hpp>

#if defined(SITU_CUDA)

#include <cstddef>
#include <cstdint>
#include <utility>

namespace situ::internal::cuda::detail {

using program::node_count_v;

/// Threads of a block.
inline constexpr int elementwise_threads = 256;

/// The number of vectors of V elements that a thread computes: enough bytes in flight to hide the latency of memory,
/// about 48 KiB for each multiprocessor, but not so many elements that the code grows too large for the expression.
template <class Program, int V, int Results>
inline constexpr int vectors_per_thread = [] {
  constexpr int arrays = leaf_count_v<Program> + Results - 1;
  constexpr int wish = 24 < node_count_v<Program> || arrays > 4 ? 1 : arrays > 1 ? 2 : 4;
  constexpr int most_elements = V == 16 ? 32 : 16;
  return wish * V <= most_elements ? wish : most_elements / V;
}();

/// Every leaf has the layout of the destination: one run of adjacent elements. The output may be a leaf: a thread loads
/// everything it reads before it stores, and no other thread reads these elements. (So neither pointer may be declared
/// restrict.) A program may have several results. A thread computes `vectors` vectors of `width` elements.
template <class Program, int width, int vectors, class... T>
struct FlatElementwise {
  static constexpr int threads = elementwise_threads;
  static constexpr const char* name = "elementwise";
  static constexpr int tile = threads * width * vectors;

  FlatSource<Program> source;
  Pack<T*...> out;
  std::int64_t count;
  bool aligned;  // every pointer, for vectors

  SITU_DEVICE void operator()() const { run(kernel::block()); }

  /// The work of block `block`.
  SITU_DEVICE void run(std::int64_t block) const {
    const std::int64_t first = block * tile;
    if (aligned && count - first >= tile) {
      compute<width, vectors>(first + kernel::thread() * width, count);
    } else {
      // The last tile, and every tile if a view is not aligned: adjacent threads take adjacent elements, in batches, so
      // that several loads are in flight together.
      constexpr int batch = 24 < node_count_v<Program> ? 1 : 4;
      const std::int64_t end = count - first < tile ? count : first + tile;
#if defined(__CUDACC__)
#pragma unroll 1
#endif
      for (std::int64_t i = first + kernel::thread(); i < end; i += threads * batch) compute<1, batch>(i, end);
    }
  }

 private:
  /// `U` vectors of V elements, the first at `first` and each of the others one step of the block further. Vectors that
  /// begin at `end` or later are not stored; the first element, which no other thread may be writing, is computed again
  /// in their place.
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
    ((get<At>(results).element[e] = kernel::stored<T>(program::result<At>(values))), ...);
  }
  template <int V, std::size_t... At>
  SITU_DEVICE void store(const Pack<kernel::Vector<T, V>...>& results, std::int64_t at,
                         std::index_sequence<At...>) const {
    ((*reinterpret_cast<kernel::Vector<T, V>*>(get<At>(out) + at) = get<At>(results)), ...);
  }
};

/// The number of vectors that a thread computes for operands with any strides.
template <class Program, int V>
inline constexpr int strided_vectors_per_thread = [] {
  constexpr int leaves = leaf_count_v<Program>;
  return 24 < node_count_v<Program> || leaves > 4 || V > 8 ? 1 : V == 1 && leaves <= 2 ? 4 : 2;
}();

/// Any strides. The index is unraveled once for each vector, for all operands together; the destination is the last
/// one.
template <class Program, int vectors, class T, int V>
struct StridedElementwise {
  static constexpr int threads = elementwise_threads;
  static constexpr const char* name = "elementwise, strided";
  static constexpr int leaves = leaf_count_v<Program>;
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
      at[u] = static_cast<std::int32_t>(wish < count ? wish : first);  // the last one may be written by another thread
    });
    source.strides.locate(at, places);
    unrolled<vectors>([&](int u) { registers[u] = source.template load<V>(places[u]); });
    unrolled<vectors>([&](int u) {
      kernel::Vector<T, V> result;
      unrolled<V>([&](int e) { result.element[e] = kernel::stored<T>(source.value(registers[u], e)); });
      if (first + u * (threads * V) < count) {
        *reinterpret_cast<kernel::Vector<T, V>*>(out + places[u].offset[leaves]) = result;
      }
    });
  }
};

/// Kernels with the same grid and tile, some of which may have no elements: a block computes the same elements of each
/// in turn, so that shared operands are still in a cache when they are read again.
template <class... Kernels>
struct Together {
  static constexpr int threads = elementwise_threads;
  static constexpr const char* name = "elementwise, several";
  Pack<Kernels...> kernels;

  SITU_DEVICE void operator()() const { each(std::index_sequence_for<Kernels...>{}); }

 private:
  template <std::size_t... At>
  SITU_DEVICE void each(std::index_sequence<At...>) const {
    (get<At>(kernels)(), ...);
  }
};

}  // namespace situ::internal::cuda::detail

#endif

// SPDX-License-Identifier: Apache-2.0
// A program with the memory it reads, for kernels: `load<V>(index)` loads adjacent elements of every leaf into
// registers, `value(registers, e)` computes one of them. One type for row-major leaves, one for any strides.
#pragma once

#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/layout.hpp>
#include <situ/cuda/kernels/program.hpp>
#include <situ/plan/program.hpp>

#if defined(SITU_CUDA)

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

namespace situ::internal::cuda {

namespace detail {
constexpr int least(std::initializer_list<std::size_t> sizes) {
  std::size_t result = 16;
  for (const std::size_t size : sizes) result = size < result ? size : result;
  return static_cast<int>(result);
}
constexpr int largest(std::initializer_list<std::size_t> sizes) {
  std::size_t result = 1;
  for (const std::size_t size : sizes) result = size > result ? size : result;
  return static_cast<int>(result);
}
template <class Leaves, class... Out>
struct VectorWidth;
template <class... T, class... Out>
struct VectorWidth<program::TypeList<T...>, Out...> {
  static constexpr int narrow = 16 / least({sizeof(Out)..., sizeof(T)...});
  static constexpr int wide = 32 / largest({sizeof(Out)..., sizeof(T)...});
  static constexpr int value = narrow < wide ? narrow : wide;
};
}  // namespace detail

/// The number of elements that a thread reads at once, if the leaves of `Program` are read and elements of types `Out`
/// are written: 16 bytes of the narrowest type, and at most 32 bytes of the widest.
template <class Program, class... Out>
inline constexpr int vector_width = detail::VectorWidth<leaf_types<Program>, Out...>::value;

/// Whether `vector` elements at `data` can be moved at once.
[[nodiscard]] inline bool is_aligned_for(const void* data, int element_size, int vector) noexcept {
  return is_aligned_to(data, element_size * vector);
}
[[nodiscard]] inline bool are_aligned_for(std::span<const program::Operand> operands, int vector) noexcept {
  for (const program::Operand& operand : operands) {
    if (!is_aligned_for(operand.data, operand.element_size, vector)) return false;
  }
  return true;
}

/// The address of the element that is `origin` elements from the beginning of an operand.
[[nodiscard]] inline const void* first_element(const program::Operand& operand, std::int64_t origin) noexcept {
  return static_cast<const std::byte*>(operand.data) + origin * operand.element_size;
}

/// A program whose leaves are all row-major: element `index` of each is at `data[leaf] + index`.
template <class Program>
struct FlatSource {
  using value_type = typename Evaluator<Program>::value_type;
  static constexpr int leaves = leaf_count_v<Program>;

  FlatSource() = default;  // of nothing that is read
  /// `operands` must have at least one entry for each leaf.
  FlatSource(const Program& program, std::span<const program::Operand> operands) : evaluator(program) {
    for (int i = 0; i < leaves; ++i) data[i] = operands[static_cast<std::size_t>(i)].data;
  }

  /// Elements `index` to `index + V - 1` of every leaf. If V > 1, all leaves are aligned for V and so is `index`.
  template <int V>
  SITU_DEVICE registers_t<Program, V> load(std::int64_t index) const {
    return load_from<V>(index, leaf_types<Program>{}, std::make_index_sequence<std::size_t{leaves}>{});
  }
  /// `U` vectors, `step` elements apart.
  template <int V, int U>
  SITU_DEVICE void load(std::int64_t index, std::int64_t step, registers_t<Program, V> (&to)[std::size_t{U}]) const {
    unrolled<U>([&](int u) { to[u] = load<V>(index + u * step); });
  }
  /// The value of element `e` of what was loaded.
  template <class Registers>
  SITU_DEVICE value_type value(const Registers& registers, int e) const {
    return evaluator(registers, e);
  }

  Evaluator<Program> evaluator;
  const void* data[std::size_t{leaves > 0 ? leaves : 1}] = {};

 private:
  template <int V, class... T, std::size_t... At>
  SITU_DEVICE registers_t<Program, V> load_from([[maybe_unused]] std::int64_t index, program::TypeList<T...>,
                                                std::index_sequence<At...>) const {
    return {{{*reinterpret_cast<const kernel::Vector<T, V>*>(static_cast<const T*>(data[At]) + index)}...}};
  }
};

/// A program whose leaves have any strides along a shape; `index` counts the elements of that shape in row-major order.
/// `Index` is int32_t, if the layout fits, or int64_t. `Operands` is the number of leaves, or one more if the
/// destination is the last operand of the layout.
template <class Program, class Index = std::int64_t, int Operands = leaf_count_v<Program>>
struct StridedSource {
  using value_type = typename Evaluator<Program>::value_type;
  static constexpr int leaves = leaf_count_v<Program>;
  using Offsets = typename StridedIndex<Index, Operands>::Offsets;

  StridedSource() = default;  // of nothing that is read
  StridedSource(const Program& program, std::span<const program::Operand> operands, const OperandLayout& layout)
      : evaluator(program), strides(layout) {
    for (int i = 0; i < leaves; ++i) data[i] = first_element(operands[static_cast<std::size_t>(i)], layout.origin(i));
  }

  /// Elements `index` to `index + V - 1` of every leaf. If V > 1, the layout has vectors of V, all leaves are aligned
  /// for V, and so is `index`.
  template <int V>
  SITU_DEVICE registers_t<Program, V> load(std::int64_t index) const {
    return load<V>(strides.locate(static_cast<Index>(index)));
  }
  /// The same from offsets of `strides.locate`.
  template <int V>
  SITU_DEVICE registers_t<Program, V> load(const Offsets& at) const {
    return load_from<V>(at, leaf_types<Program>{}, std::make_index_sequence<std::size_t{leaves}>{});
  }
  /// `U` vectors, `step` elements apart.
  template <int V, int U>
  SITU_DEVICE void load(std::int64_t index, std::int64_t step, registers_t<Program, V> (&to)[std::size_t{U}]) const {
    Index at[std::size_t{U}];
    Offsets places[std::size_t{U}];
    unrolled<U>([&](int u) { at[u] = static_cast<Index>(index + u * step); });
    strides.locate(at, places);
    unrolled<U>([&](int u) { to[u] = load<V>(places[u]); });
  }
  /// The value of element `e` of what was loaded.
  template <class Registers>
  SITU_DEVICE value_type value(const Registers& registers, int e) const {
    return evaluator(registers, e);
  }

  Evaluator<Program> evaluator;
  const void* data[std::size_t{leaves > 0 ? leaves : 1}] = {};
  StridedIndex<Index, Operands> strides;

 private:
  template <int V, class... T, std::size_t... At>
  SITU_DEVICE registers_t<Program, V> load_from([[maybe_unused]] const Offsets& at, program::TypeList<T...>,
                                                std::index_sequence<At...>) const {
    return {{{load_leaf<V>(static_cast<const T*>(data[At]) + at.offset[At], static_cast<int>(At))}...}};
  }
  template <int V, class T>
  SITU_DEVICE kernel::Vector<T, V> load_leaf(const T* from, [[maybe_unused]] int leaf) const {
    if constexpr (V > 1) {
      if (!strides.is_adjacent(leaf)) {
        kernel::Vector<T, V> copies;
        const T element = *from;
        unrolled<V>([&](int e) { copies.element[e] = element; });
        return copies;
      }
    }
    return *reinterpret_cast<const kernel::Vector<T, V>*>(from);
  }
};

}  // namespace situ::internal::cuda

#endif

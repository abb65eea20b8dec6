// SPDX-License-Identifier: Apache-2.0
// An expression inside a kernel: adjacent elements of every leaf are loaded into registers, then the program is
// evaluated on them, one element at a time, in its compute type. Element-wise kernels and reductions share this.
#pragma once

#include <situ/core/lane.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/plan/evaluate.hpp>
#include <situ/plan/program.hpp>

#if defined(SITU_CUDA)

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace situ::internal::cuda {

namespace detail {

/// A functor without state: it is constructed anew where it is called.
template <class F>
inline constexpr bool is_stateless = std::is_empty_v<F> && std::is_default_constructible_v<F>;
constexpr int aligned(int at, std::size_t alignment) {
  const int a = static_cast<int>(alignment);
  return (at + a - 1) / a * a;
}

/// The positions of a node's constants and functors when those of a program are stored one after the other, from byte
/// `at` on.
template <class Node>
struct NodeTraits;
template <class T, int At>
struct NodeTraits<program::Leaf<T, At>> {
  static constexpr int end(int at) { return at; }
  static void put(const program::Leaf<T, At>&, unsigned char*, int) {}
};
template <class T>
struct NodeTraits<program::Constant<T>> {
  using Value = compute_t<T>;
  static constexpr int end(int at) { return aligned(at, alignof(Value)) + static_cast<int>(sizeof(Value)); }
  static void put(const program::Constant<T>& node, unsigned char* to, int at) {
    __builtin_memcpy(to + aligned(at, alignof(Value)), &node.value, sizeof(Value));
  }
};
template <class F, class R, class... Nodes>
struct NodeTraits<program::Call<F, R, Nodes...>> {
  static_assert(std::is_trivially_copyable_v<F>, "a functor given to map must be trivially copyable");
  static_assert(alignof(F) <= 16, "a functor given to map may be aligned to 16 bytes at most");

  /// Where the first child begins.
  static constexpr int begin(int at) {
    return is_stateless<F> ? at : aligned(at, alignof(F)) + static_cast<int>(sizeof(F));
  }
  static constexpr int end(int at) {
    at = begin(at);
    ((at = NodeTraits<Nodes>::end(at)), ...);
    return at;
  }
  /// Where child `index` begins.
  static constexpr int child(int at, std::size_t index) {
    at = begin(at);
    std::size_t i = 0;
    ((at = i++ < index ? NodeTraits<Nodes>::end(at) : at), ...);
    return at;
  }
  static void put(const program::Call<F, R, Nodes...>& node, unsigned char* to, int at) {
    if constexpr (!is_stateless<F>) __builtin_memcpy(to + aligned(at, alignof(F)), &node.function, sizeof(F));
    put_children(node, to, at, std::index_sequence_for<Nodes...>{});
  }
  template <std::size_t... At>
  static void put_children(const program::Call<F, R, Nodes...>& node, unsigned char* to, int at,
                           std::index_sequence<At...>) {
    (NodeTraits<Nodes>::put(get<At>(node.nodes), to, child(at, At)), ...);
  }
};

template <class Leaves, int V>
struct RegistersOf;
template <class... T, int V>
struct RegistersOf<program::TypeList<T...>, V> {
  using type = Pack<kernel::Vector<T, V>...>;
};

}  // namespace detail

using program::leaf_count_v;
using program::leaf_types;

/// `V` adjacent elements of every leaf: `get<leaf>(registers).element[e]`.
template <class Program, int V>
using registers_t = typename detail::RegistersOf<leaf_types<Program>, V>::type;

using kernel::unrolled;

/// A program in a kernel: the tree exists only in the type, and constants and functors with state are stored one after
/// the other. This is less to copy, and does not depend on how a compiler lays out the members of a tree.
template <class Program>
class Evaluator {
 public:
  /// The type of its value.
  using value_type = typename program::ValueOf<typename Program::value_type>::type;

  Evaluator() = default;  // for a program that is not evaluated
  explicit Evaluator(const Program& program) { detail::NodeTraits<Program>::put(program, state_, 0); }

  /// Replaces the functor at the root.
  template <class F>
  SITU_DEVICE void set_function(const F& function) {
    static_assert(std::is_same_v<F, decltype(Program::function)> && !detail::is_stateless<F>);
    __builtin_memcpy(state_, &function, sizeof(F));  // it is the first in the state
  }

  /// The value of element `e` of the loaded `registers_t<Program, V>`.
  template <class Registers>
  SITU_DEVICE value_type operator()(const Registers& registers, int e) const {
    return kernel::computed(program::evaluate<Program>(Machine<Registers>{*this, registers, e}, Place<Program, 0>{}));
  }

 private:
  /// A node, whose constants and functors begin at byte `At` of the state.
  template <class Node, int At>
  struct Place {};

  template <class Registers>
  struct Machine {
    static constexpr bool keeps = false;
    const Evaluator& evaluator;
    const Registers& registers;
    int e;

    template <class T, int Leaf, int At>
    SITU_DEVICE auto leaf(Place<program::Leaf<T, Leaf>, At>) const {
      return lane_of(static_cast<compute_t<T>>(get<Leaf>(registers).element[e]));
    }
    template <class T, int At>
    SITU_DEVICE auto constant(Place<program::Constant<T>, At>) const {
      return lane_of(evaluator.template state<compute_t<T>, At>());
    }
    /// An element as the lane that programs compute with.
    template <class T>
    SITU_DEVICE static auto lane_of(const T& value) {
      if constexpr (ComplexElement<T>) return lane::ComplexLane<real_t<T>>(value);
      else return value;
    }
    template <class F, class R, class... Nodes, int At>
    SITU_DEVICE decltype(auto) function(Place<program::Call<F, R, Nodes...>, At>) const {
      if constexpr (detail::is_stateless<F>) return F{};
      else return evaluator.template state<F, At>();
    }
    template <std::size_t Child, class F, class R, class... Nodes, int At>
    SITU_DEVICE auto child(Place<program::Call<F, R, Nodes...>, At>) const {
      using Call = program::Call<F, R, Nodes...>;
      return Place<std::tuple_element_t<Child, std::tuple<Nodes...>>, detail::NodeTraits<Call>::child(At, Child)>{};
    }
    /// (The functor of an argument of another type has rounded it.)
    template <class T, class V>
    SITU_DEVICE static V rounded(V value) {
      return lane::round_to<T>(value);
    }
    template <class R, class F, class... Values>
    SITU_DEVICE static auto call_each(const F& function, Values... values) {
      return lane_of(
          operator_of_a_functor_given_to_map_must_be_constexpr_or_host_device<R>(function, element_of(values)...));
    }
    /// The reverse of `lane_of`.
    template <class V>
    SITU_DEVICE static auto element_of(const V& value) {
      if constexpr (ComplexElement<lane_element_t<V>>) return lane_element_t<V>(value);
      else return value;
    }
  };

  /// nvcc's message about a functor that it cannot call ends with the name of this function.
  template <class R, class F, class... Values>
  SITU_DEVICE static compute_t<R> operator_of_a_functor_given_to_map_must_be_constexpr_or_host_device(
      const F& function, Values... values) {
    return static_cast<compute_t<R>>(function(values...));
  }

  template <class T, int At>
  SITU_DEVICE const T& state() const {
    return *reinterpret_cast<const T*>(state_ + detail::aligned(At, alignof(T)));
  }
  static constexpr int state_bytes = detail::NodeTraits<Program>::end(0);
  alignas(state_bytes > 8 ? 16 : 8) unsigned char state_[std::size_t{state_bytes > 0 ? state_bytes : 1}] = {};
};

}  // namespace situ::internal::cuda

#endif

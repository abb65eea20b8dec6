// SPDX-License-Identifier: Apache-2.0
// The program of an expression as a list of nodes with values of type `Number`, and as text, for computing it again one
// call at a time. Each functor is compiled once, not once per expression: a tree of templates took as long to compile
// as the kernels.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/plan/evaluate.hpp>
#include <situ/plan/program.hpp>

namespace situ::internal::numbers {

/// An element of any type; `im` is the imaginary part of a complex one.
struct Number {
  double re = 0;
  double im = 0;
  bool is_complex = false;
};

/// A node of a program: a leaf, a scalar, or a call on the nodes evaluated just before it.
struct Node {
  std::string (*name)() = nullptr;                                        // for a call
  Number (*call)(const void* functor, const Number* operands) = nullptr;  // null if it is not computed again
  const void* functor = nullptr;
  int operands = 0;
  int leaf = -1;
  Number scalar = {};
};

/// A value of an expression with elements `T`: a scalar lane, or a complex number as stored in memory.
template <Element T, class V>
[[nodiscard]] Number number_of(const V& value) {
  if constexpr (ComplexElement<T>) return {static_cast<double>(value.re), static_cast<double>(value.im), true};
  else return {static_cast<double>(value)};
}

/// The values of the operands of one call, read as its leaves.
struct OperandValues : program::TreeMachine {
  const Number* values;

  explicit OperandValues(const Number* each) : values(each) {}
  template <class T, int At>
  [[nodiscard]] auto leaf(const program::Leaf<T, At>&) const {
    using Real = real_t<compute_t<T>>;
    const Number& number = values[At];
    if constexpr (ComplexElement<T>) {
      return typename ScalarLane<T>::type(static_cast<Real>(number.re), static_cast<Real>(number.im));
    } else {
      return static_cast<Real>(number.re);
    }
  }
  template <class T>
  [[nodiscard]] static compute_t<T> rounded(compute_t<T> value) {
    return static_cast<compute_t<T>>(static_cast<T>(value));
  }
  template <class R, class F, class... Value>
  [[nodiscard]] static auto call_each(const F& function, Value... value) {
    return lane::lane_of(static_cast<compute_t<R>>(function(lane::element_of(value)...)));
  }
};
/// One call, stored as an element of type `R`.
template <class F, class R, class Indices, class... T>
struct OneCall;
template <class F, class R, std::size_t... At, class... T>
struct OneCall<F, R, std::index_sequence<At...>, T...> {
  [[nodiscard]] static Number of(const void* functor, const Number* operands) {
    using Program = program::Call<F, R, program::Leaf<T, int{At}>...>;
    const Program alone{*static_cast<const F*>(functor), {}};
    const auto value = program::evaluate<Program>(OperandValues(operands), alone);
    if constexpr (ComplexElement<R>) return number_of<R>(value);
    else return number_of<R>(static_cast<compute_t<R>>(static_cast<R>(value)));
  }
};

/// The text of a program, from its type, which does not contain the values of scalars: "log(subtract(x0, c))".
template <class F>
[[nodiscard]] std::string functor_name();
template <class Program>
struct ProgramText;
template <class T, int At>
struct ProgramText<program::Leaf<T, At>> {
  [[nodiscard]] static std::string text() { return "x" + std::to_string(At); }
};
template <class T>
struct ProgramText<program::Constant<T>> {
  [[nodiscard]] static std::string text() { return "c"; }
};
template <class F, class R, class First, class... Rest>
struct ProgramText<program::Call<F, R, First, Rest...>> {
  [[nodiscard]] static std::string text() {
    std::string words = functor_name<F>() + "(" + ProgramText<First>::text();
    ((words += ", " + ProgramText<Rest>::text()), ...);
    return words + ")";
  }
};

/// The functor of a gradient: computing it again would mean compiling it again, which takes longer than everything else
/// here.
template <class F>
concept GradientFunctor = requires { typename F::program_type; };

/// The name of a functor in messages; a gradient is named after its expression.
template <class F>
std::string functor_name() {
  if constexpr (GradientFunctor<F>) return "the gradient of " + ProgramText<typename F::program_type>::text() + " at ";
  else if constexpr (requires { F::name; }) return F::name;
  else return "the functor of map";
}

/// The nodes of a program in the order in which they are evaluated.
template <class T, int At>
void append_nodes(std::vector<Node>& nodes, const program::Leaf<T, At>&) {
  nodes.push_back({.leaf = At});
}
template <class T>
void append_nodes(std::vector<Node>& nodes, const program::Constant<T>& constant) {
  nodes.push_back({.scalar = number_of<T>(constant.value)});
}
template <class F, class R, class... Nodes, std::size_t... At>
void append_call(std::vector<Node>& nodes, const program::Call<F, R, Nodes...>& call, std::index_sequence<At...>) {
  (append_nodes(nodes, get<At>(call.nodes)), ...);
  Node node{.name = &functor_name<F>, .functor = &call.function, .operands = int{sizeof...(Nodes)}};
  if constexpr (!GradientFunctor<F>)
    node.call = &OneCall<F, R, std::index_sequence<At...>, typename Nodes::value_type...>::of;
  nodes.push_back(node);
}
template <class F, class R, class... Nodes>
void append_nodes(std::vector<Node>& nodes, const program::Call<F, R, Nodes...>& call) {
  append_call(nodes, call, std::index_sequence_for<Nodes...>());
}

}  // namespace situ::internal::numbers

// SPDX-License-Identifier: Apache-2.0
// Operations across several tapes. Each part of a spread variable has a tape of its own, on its device, and a
// collective has an operand and a result in each of them. It is one node below one node for every result: these pass
// their gradients on to it, and it is visited once it has all of them.
//
// Rejected: one node as the node of all results, whose gradient would be a tuple: a reader of a part adds a tensor, and
// would have to know which part it read. Also rejected: another kind of edge, since everything that records holds
// edges.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/autograd/node.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/shape.hpp>
#include <situ/ops/creation.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::autograd {

/// Calls `f` with each number below `Count` as a constant.
template <std::size_t Count, class F>
void for_each_part(F&& f) {
  [&f]<std::size_t... At>(std::index_sequence<At...>) {
    (f(std::integral_constant<std::size_t, At>{}), ...);
  }(std::make_index_sequence<Count>{});
}

/// Gradients of the parts received so far.
template <Element T, Device... D>
struct HeldParts final : AnyTensor {
  std::tuple<std::optional<Tensor<T, D>>...> parts;

  /// All of them: a part without a gradient does not contribute to the loss, and its gradient is 0.
  [[nodiscard]] std::tuple<Tensor<T, D>...> complete(const std::array<Shape, sizeof...(D)>& shapes) && {
    std::tuple<Tensor<T, D>...> all;
    for_each_part<sizeof...(D)>([&](auto at) {
      auto& part = std::get<at>(parts);
      using Own = std::tuple_element_t<at, std::tuple<D...>>;
      std::get<at>(all) = part ? std::move(*part) : zeros<T>(shapes[at], Own{});
    });
    return all;
  }
};

/// The node of one result of a joint node, or of one part of a joint parameter.
class AnyJointOutput : public Node {
 public:
  [[nodiscard]] Node* joint() const noexcept { return operands()[0].get(); }
  /// Which part it is.
  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  [[nodiscard]] bool hands_on() const noexcept override { return true; }

 protected:
  AnyJointOutput(NodePointer joint, std::size_t number) : Node(std::span(&joint, 1)), number_(number) {}

 private:
  std::size_t number_;
};

template <std::size_t At, Element T, Device... D>
class JointOutput final : public AnyJointOutput {
 public:
  explicit JointOutput(NodePointer joint) : AnyJointOutput(std::move(joint), At) {}

  void pull(Pass& pass) const override {
    using Own = std::tuple_element_t<At, std::tuple<D...>>;
    std::get<At>(pass.held<HeldParts<T, D...>>(joint()).parts) = pass.take<T, Own>(this);
  }
};

/// The joint node of an operation. `reverse(gradients)` returns the gradients of the operands from those of the
/// results, both tuples with a tensor for each part; it holds no nodes.
template <Element T, class Reverse, Device... D>
class JointOperation final : public Node {
 public:
  using Parts = std::tuple<Tensor<T, D>...>;

  JointOperation(std::array<NodePointer, sizeof...(D)> operands, const std::array<Edge, sizeof...(D)>& edges,
                 const std::array<Shape, sizeof...(D)>& results, Reverse reverse)
      : Node(operands), edges_(edges), results_(results), reverse_(std::move(reverse)) {}

  void pull(Pass& pass) const override {
    const Parts gradients = reverse_(pass.take_held<HeldParts<T, D...>>(this).complete(results_));
    for_each_part<sizeof...(D)>([&](auto at) { pass.add(edges_[at], std::get<at>(gradients)); });
  }

 private:
  std::array<Edge, sizeof...(D)> edges_;
  std::array<Shape, sizeof...(D)> results_;
  Reverse reverse_;
};

/// Variables with these values, each with an output of the joint node.
template <Element T, Device... D>
[[nodiscard]] std::tuple<Variable<T, D>...> behind(const NodePointer& joint, std::tuple<Tensor<T, D>...> values) {
  return [&]<std::size_t... At>(std::index_sequence<At...>) {
    return std::tuple<Variable<T, D>...>{
        Variable<T, D>(std::move(std::get<At>(values)), NodePointer(new JointOutput<At, T, D...>(joint)))...};
  }(std::index_sequence_for<D...>{});
}

/// The values of variables.
template <Element T, Device... D>
[[nodiscard]] std::tuple<Tensor<T, D>...> values_of(const std::tuple<Variable<T, D>...>& x) {
  return std::apply([](const auto&... part) { return std::tuple<Tensor<T, D>...>{part.value()...}; }, x);
}

/// The results of an operation on the parts `x`, recorded if one of these records. See `JointOperation`.
template <Element T, Device... D, class Reverse>
[[nodiscard]] std::tuple<Variable<T, D>...> record_joint(const std::tuple<Variable<T, D>...>& x,
                                                         std::tuple<Tensor<T, D>...> values, Reverse reverse) {
  return std::apply(
      [&](const Variable<T, D>&... part) {
        if (!(part.records() || ...)) {
          return std::apply(
              [](Tensor<T, D>&... value) {
                return std::tuple<Variable<T, D>...>{Variable<T, D>(std::move(value), NodePointer())...};
              },
              values);
        }
        const std::array<Shape, sizeof...(D)> shapes = std::apply(
            [](const Tensor<T, D>&... value) { return std::array<Shape, sizeof...(D)>{value.shape()...}; }, values);
        const NodePointer joint(
            new JointOperation<T, Reverse, D...>({part.node()...}, {part.edge()...}, shapes, std::move(reverse)));
        return behind<T, D...>(joint, std::move(values));
      },
      x);
}

/// The reverse of `own_or_zeros`.
template <Element T, Device D>
struct OwnGradient {
  bool own;
  Shape operand;
  [[nodiscard]] std::tuple<Tensor<T, D>> operator()(const std::tuple<Tensor<T, D>>& gradient) const {
    return own ? gradient : std::tuple(zeros<T>(operand, D{}));
  }
};

/// For a value that one rank adds for all: `x` there, and on the others zeros of this shape instead of something
/// computed from `x`, whose gradient is then 0. With a constant, the backward pass of these ranks would skip `x` and
/// everything below it, where other ranks have collectives to call and gradients to add up, and nodes of other heights
/// would call them in another order. So every rank records the same nodes.
template <Element T, Device D>
[[nodiscard]] Variable<T, D> own_or_zeros(const Variable<T, D>& x, bool own, const Shape& shape) {
  return std::get<0>(record_joint(std::tuple(x), std::tuple(own ? x.value() : zeros<T>(shape, D{})),
                                  OwnGradient<T, D>{own, x.shape()}));
}

}  // namespace situ::autograd

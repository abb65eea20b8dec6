// SPDX-License-Identifier: Apache-2.0
// Recording an operation (expression/apply.hpp): a node that keeps what the operation's gradient reads, and calls it.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/pack.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/apply.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/index.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

namespace autograd {

namespace reads = internal::functional::reads;

/// What the gradient of operand `At` of `Count` reads.
template <class Operation, std::size_t Count, std::size_t At>
[[nodiscard]] constexpr unsigned gradient_reads() {
  if constexpr (Count == 1) {  // first: g++ rejects `template` before a name that is not a template
    if constexpr (requires { Operation::gradient_reads; }) return Operation::gradient_reads;
    else return reads::nothing;
  } else if constexpr (requires { Operation::template gradient_reads<At>; }) {
    return Operation::template gradient_reads<At>;
  } else {
    return reads::nothing;
  }
}

/// An operation on variables with elements `T` on `D`.
template <class Operation, Element T, Device D, class Indices>
class Applied;
template <class Operation, Element T, Device D, std::size_t... At>
class Applied<Operation, T, D, std::index_sequence<At...>> final : public Node {
  template <std::size_t Nth>
  static constexpr unsigned gradient_reads = autograd::gradient_reads<Operation, sizeof...(At), Nth>();
  static constexpr unsigned all_reads = (0U | ... | gradient_reads<At>);
  template <std::size_t Nth>
  using Kept = std::conditional_t<(all_reads & reads::operand<Nth>) != 0, Tensor<T, D>, NotKept>;
  using Result = std::conditional_t<(all_reads & reads::result) != 0, Tensor<T, D>, NotKept>;

 public:
  template <class... V>
  Applied(Operation operation, const Tensor<T, D>& result, std::array<NodePointer, sizeof...(V)> nodes, const V&... x)
      : Node(nodes), operation_(std::move(operation)), edges_{x.edge()...}, kept_{{{kept<At>(x.value())}...}} {
    if constexpr ((all_reads & reads::result) != 0) result_ = result;
  }

  void pull(Pass& pass) const override {
    const Tensor<T, D> g = pass.take<T, D>(this);
    if constexpr (requires { requires Operation::is_part; }) {
      pass.add_part(edges_[0], operation_.layout(Layout::row_major(edges_[0].shape)), g);
    } else if constexpr (sizeof...(At) == 1) {
      add<0>(pass, g);
    } else if constexpr (requires { requires Operation::shares_work; }) {
      const std::array<bool, sizeof...(At)> wanted{static_cast<bool>(edges_[At])...};
      const std::array<Tensor<T, D>, sizeof...(At)> all = gradients(wanted, g, operand<all_reads, At>()...);
      ((edges_[At] ? pass.add(edges_[At], all[At]) : void()), ...);
    } else {
      (add<At>(pass, g), ...);
    }
  }

 private:
  /// Operand `Nth`, if a wanted gradient reads it.
  template <std::size_t Nth>
  [[nodiscard]] Kept<Nth> kept(const Tensor<T, D>& x) const {
    if constexpr ((all_reads & reads::operand<Nth>) == 0) return {};
    else return ((edges_[At] && (gradient_reads<At> & reads::operand<Nth>) != 0) || ...) ? x : Tensor<T, D>();
  }

  /// Operand `Nth` as passed to a gradient with these reads.
  template <unsigned Reads, std::size_t Nth>
  [[nodiscard]] const auto& operand() const {
    if constexpr ((Reads & reads::operand<Nth>) != 0) return get<Nth>(kept_);
    else return edges_[Nth].shape;
  }

  template <std::size_t Nth>
  void add(Pass& pass, const Tensor<T, D>& g) const {
    if (!edges_[Nth]) return;
    constexpr unsigned read = gradient_reads<Nth>;
    if constexpr ((read & reads::result) != 0) pass.add(edges_[Nth], gradient<Nth>(g, result_, operand<read, At>()...));
    else pass.add(edges_[Nth], gradient<Nth>(g, operand<read, At>()...));
  }
  template <std::size_t Nth, class... Read>
  [[nodiscard]] Tensor<T, D> gradient(const Read&... read) const {
    if constexpr (sizeof...(At) == 1) return Tensor<T, D>(operation_.gradient(read...));
    else return Tensor<T, D>(operation_.template gradient<Nth>(read...));
  }

  template <class... Read>
  [[nodiscard]] std::array<Tensor<T, D>, sizeof...(At)> gradients(const std::array<bool, sizeof...(At)>& wanted,
                                                                  const Tensor<T, D>& g, const Read&... read) const {
    if constexpr ((all_reads & reads::result) != 0) return operation_.gradients(wanted, g, result_, read...);
    else return operation_.gradients(wanted, g, read...);
  }

  Operation operation_;
  std::array<Edge, sizeof...(At)> edges_;
  internal::Pack<Kept<At>...> kept_;
  [[no_unique_address]] Result result_;
};

/// An operation that keeps what its gradient needs while it computes its value.
template <class Operation, class... X>
concept KeepsItself = requires(Operation& operation, const X&... x) { operation.recorded(x...); };

/// The value of an operation on these variables, recorded if one of them records.
template <class Operation, Element T, Device D, std::same_as<Variable<T, D>>... V>
[[nodiscard]] Variable<T, D> applied(Operation operation, const Variable<T, D>& x, const V&... more) {
  if (!(x.records() || ... || more.records())) return {operation(x.value(), more.value()...), NodePointer()};
  Tensor<T, D> value;
  if constexpr (KeepsItself<Operation, Tensor<T, D>, decltype(more.value())...>) {
    value = operation.recorded(x.value(), more.value()...);
  } else {
    value = operation(x.value(), more.value()...);
  }
  using Recorded = Applied<Operation, T, D, std::index_sequence_for<Variable<T, D>, V...>>;
  NodePointer node(new Recorded(std::move(operation), value, nodes_of(x, more...), x, more...));
  return {std::move(value), std::move(node)};
}

/// The same for an operation that, like its gradient, reads an expression in one pass.
template <class Operation, Recorded E>
[[nodiscard]] auto applied_to_expression(const Operation& operation, const E& x) {
  using T = value_type_t<E>;
  using D = device_t<E>;
  using Pull = ExpressionGradients<E, false>;
  return record(operation(x), Pull::nodes_of(x),
                [pull = Pull(x, {}), operation, shape = x.shape()](Pass& pass, const Tensor<T, D>& g) {
                  pull(pass, operation.gradient(g, shape));
                });
}

/// The same for any number of variables.
template <class Operation, Element T, Device D>
[[nodiscard]] Variable<T, D> applied_to_all(const Operation& operation, std::span<const Variable<T, D>> variables) {
  std::vector<Tensor<T, D>> values;
  std::vector<NodePointer> nodes;
  std::vector<Node*> owned;
  std::vector<Shape> shapes;
  for (const Variable<T, D>& variable : variables) {
    values.push_back(variable.value());
    nodes.push_back(variable.node());
    owned.push_back(variable.node().get());
    shapes.push_back(variable.shape());
  }
  return record(operation(std::span<const Tensor<T, D>>(values)), std::move(nodes),
                [operation, owned = std::move(owned), shapes = std::move(shapes)](Pass& pass, const Tensor<T, D>& g) {
                  const std::vector<Tensor<T, D>> gradients = operation.gradients(g, std::span<const Shape>(shapes));
                  for (std::size_t i = 0; i != owned.size(); ++i) {
                    pass.add(Edge{owned[i], shapes[i]}, gradients[i]);
                  }
                });
}

/// A part of a variable.
struct Part : internal::operation::View<Part> {
  static constexpr bool is_part = true;
  internal::StoredIndex index;

  [[nodiscard]] Layout layout(const Layout& x) const { return index.layout_in(x); }
};

}  // namespace autograd

template <class T, class D>
template <class Operation, class... X>
Variable<T, D> internal::Recording<T, D>::apply(Operation operation, const X&... x) {
  if constexpr (requires { requires Operation::reads_expressions; }) {
    return autograd::applied_to_expression(operation, x...);
  } else if constexpr (requires { requires Operation::takes_any_number; }) {
    const std::array<type, sizeof...(X)> variables{autograd::as_variable(x)...};
    return apply_to_all(operation, std::span<const type>(variables));
  } else {
    return autograd::applied(std::move(operation), autograd::as_variable(x)...);
  }
}

template <class T, class D>
template <class Operation>
Variable<T, D> internal::Recording<T, D>::apply_to_all(const Operation& operation, std::span<const type> x) {
  return autograd::applied_to_all(operation, x);
}

template <DifferentiableElement T, Device D>
Variable<T, D> Variable<T, D>::part(const internal::IndexItems& items) const {
  return autograd::applied(autograd::Part{{}, internal::StoredIndex(items)}, *this);
}

template <DifferentiableElement T, Device D>
template <Device To>
Variable<T, To> Variable<T, D>::to(To target, CallSite site) const {
  return autograd::record(value_.to(target, site), autograd::nodes_of(*this),
                          [edge = edge(), site](autograd::Pass& pass, const Tensor<T, To>& g) {
                            pass.add(edge, g.to(D{}, site));  // the way back has the same call site
                          });
}

}  // namespace situ

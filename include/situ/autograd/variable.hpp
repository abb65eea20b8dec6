// SPDX-License-Identifier: Apache-2.0
// `Variable<T, Device>`: a tensor that remembers how it was computed, for gradients.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <situ/autograd/node.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/device/placed.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/nodes.hpp>
#include <situ/tensor/index.hpp>
#include <situ/tensor/indexable.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

template <DifferentiableElement T, Device D = Cpu>
class Variable;

namespace internal {
template <class T, class D>
struct Recording {
  using type = Variable<T, D>;
  /// In autograd/apply.hpp.
  template <class Operation, class... X>
  [[nodiscard]] static type apply(Operation operation, const X&... x);
  template <class Operation>
  [[nodiscard]] static type apply_to_all(const Operation& operation, std::span<const type> x);
};
}  // namespace internal

namespace autograd {

/// The value of an expression over variables as a variable, see autograd/elementwise.hpp.
template <Recorded E>
[[nodiscard]] Variable<value_type_t<E>, device_t<E>> recorded(
    const E& expression, internal::EvaluationSite site = internal::EvaluationSite::here());

/// `item` of a variable, on host devices; on others the name exists to be rejected, as in tensor/host_access.hpp.
template <class V, class T, class D, bool HostReads>
class ItemOf {
 public:
  /// The only element of the value. Throws `ShapeError` unless there is exactly one.
  [[nodiscard]] T item() const { return static_cast<const V&>(*this).value().item(); }
};
template <class V, class T, class D>
class ItemOf<V, T, D, false> {
 public:
  static constexpr typename the_host_cannot_read_memory_of<D>::template fix_call_dot_to<Cpu> item{};
};

/// A parameter: a variable that was not computed from others.
class Parameter final : public Node {
 public:
  Parameter() : Node({}) {}
  void pull(Pass&) const override {}
  [[nodiscard]] bool is_parameter() const noexcept override { return true; }
};

}  // namespace autograd

/// A tensor of floating elements that remembers how it was computed. Operations on variables return variables (or
/// expressions that become variables), and `backward(loss)` returns the gradients of the parameters: the variables made
/// from tensors. Placement is the tensor's: variables on different devices do not mix. A copy is the same variable.
///
///     Variable w(randn<float>({784, 10}) * 0.01f);      // a parameter
///     Variable loss = mean(square(matmul(x, w) - y));   // x and y are tensors
///     auto gradients = backward(loss);
///     Tensor g = gradients[w];                          // Tensor<float, Cpu>, the shape of w
template <DifferentiableElement T, Device D>
class Variable : public placed<T, D>,
                 public Indexable<Variable<T, D>>,
                 public autograd::ItemOf<Variable<T, D>, T, D, HostDevice<D>> {
 public:
  using value_type = T;
  using device_type = D;
  using holds_a_tensor = void;

  /// An empty constant of shape (0,).
  Variable() = default;

  /// A parameter with this value.
  explicit Variable(Tensor<T, D> value) : node_(new autograd::Parameter), value_(std::move(value)) {}
  /// A parameter with the value of an expression of tensors.
  template <class E>
    requires EvaluableTo<E, T, D>
  explicit Variable(const E& expression, internal::EvaluationSite site = internal::EvaluationSite::here())
      : Variable(Tensor<T, D>(expression, site)) {}

  /// Evaluates an expression of variables in one pass, and records it. Throws `OutOfMemory`.
  template <class E>
    requires Recorded<E> &&
             (!std::same_as<E, Variable>) && std::same_as<value_type_t<E>, T> && std::same_as<device_t<E>, D>
  Variable(const E& expression, internal::EvaluationSite site = internal::EvaluationSite::here())
      : Variable(autograd::recorded(expression, site)) {}

  /// `v = tensor` for `v = Variable(tensor)`: a parameter with this value, of any shape, in place of the one that was
  /// there; but a constant, such as a frozen weight, stays one (unless it is empty). What was recorded before keeps the
  /// old value. Takes a tensor or an expression of tensors.
  ///
  ///     layer.weight = load_npy<float>("weight.npy");
  template <class E>
    requires(!std::same_as<E, Variable>) && (std::same_as<E, Tensor<T, D>> || EvaluableTo<E, T, D>)
  Variable& operator=(const E& value) {
    Variable parameter(value);
    if (!records() && size() != 0) parameter.node_ = autograd::NodePointer();
    return *this = std::move(parameter);
  }

  /// Another device: does not compile; the error names both and the fix.
  template <class Other, class Fix = typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>>
    requires(!std::same_as<Other, D>)
  Variable(const on_device<Other>&) = delete;
  /// Another element type: does not compile; the error names both and the fix.
  template <class Other, class Fix = typename element_types_differ<T, D>::template fix_call_cast<T>>
    requires(!std::same_as<Other, T>)
  Variable(const placed<Other, D>&) = delete;

  /// For the library: a value and the operation that computed it; null for a constant.
  Variable(Tensor<T, D> value, autograd::NodePointer node) noexcept
      : node_(std::move(node)), value_(std::move(value)) {}

  /// The value: a tensor, which records nothing.
  [[nodiscard]] const Tensor<T, D>& value() const noexcept { return value_; }
  [[nodiscard]] const Shape& shape() const noexcept { return value_.shape(); }
  [[nodiscard]] int rank() const noexcept { return value_.rank(); }
  [[nodiscard]] std::int64_t size() const noexcept { return value_.size(); }
  [[nodiscard]] std::int64_t extent(std::int64_t axis) const { return value_.extent(axis); }

  /// Whether gradients are recorded: false for the result of `constant` and for values computed only from constants.
  [[nodiscard]] bool records() const noexcept { return static_cast<bool>(node_); }

  /// A part of the variable, the result of `v(0, all)`; positions for all axes give a variable of rank 0. For
  /// `Indexable`.
  [[nodiscard]] Variable part(const internal::IndexItems& items) const;

  /// One element, recorded, as a variable of rank 0; see `Tensor::element`. Throws `IndexError`.
  template <Position... At>
  [[nodiscard]] Variable element(At... positions) const {
    if (static_cast<int>(sizeof...(At)) != rank()) {
      internal::fail_position_count(static_cast<int>(sizeof...(At)), shape());
    }
    if constexpr (sizeof...(At) == 0) return *this;
    else return (*this)(positions...);
  }

  /// The variable on device `To`; its gradient comes back to `D`. `v.to(gpu<0>)` is the same call.
  template <Device To>
  [[nodiscard]] Variable<T, To> to(To = {}, CallSite site = CallSite::here()) const;
  Variable to(the_device_is_known_at_run_time_only::fix_call_with_device) const;

  /// Changes the value, by `change(Tensor<T, D>&)`: the step of an optimizer, in place if nothing shares the storage.
  /// What was recorded before keeps the old value, and this becomes a new parameter, with gradients of its own.
  ///
  ///     w.update([&](Tensor<float>& value) { value -= 0.1f * gradients[w]; });
  template <std::invocable<Tensor<T, D>&> F>
  void update(F&& change) {
    // made before anything changes: if this throws, the variable is unchanged.
    autograd::NodePointer node = successor_node();
    std::forward<F>(change)(value_);
    node_ = std::move(node);
  }
  /// The node after a change: a constant remains a constant. For the library, to change several variables together.
  [[nodiscard]] autograd::NodePointer successor_node() const {
    return autograd::NodePointer(records() ? new autograd::Parameter : nullptr);
  }
  [[nodiscard]] Tensor<T, D>& value_to_change() noexcept { return value_; }
  void continue_as(autograd::NodePointer&& node) noexcept { node_ = std::move(node); }

  /// For the library.
  [[nodiscard]] const autograd::NodePointer& node() const noexcept { return node_; }
  [[nodiscard]] autograd::Edge edge() const { return {node_.get(), value_.shape()}; }

 private:
  autograd::NodePointer node_;  // (first: it fills the space that the bases leave)
  Tensor<T, D> value_;
};

template <TensorLike E>
  requires DifferentiableElement<value_type_t<E>>
Variable(E&&) -> Variable<value_type_t<E>, device_t<E>>;

namespace internal {
template <class X>
inline constexpr bool is_variable = false;
template <class T, class D>
inline constexpr bool is_variable<Variable<T, D>> = true;
}  // namespace internal

/// A `Variable` itself.
template <class X>
concept VariableType = internal::is_variable<std::remove_cvref_t<X>>;

/// Operands, at least one of which records gradients.
template <class... X>
concept AnyRecorded = (Recorded<X> || ...);

/// `variable += x` and similar, of expression/compound_assignment.hpp: a new variable under the same name.
template <DifferentiableElement T, Device D, Recorded E>
void assign(Variable<T, D>& variable, const E& expression) {
  variable = Variable<T, D>(expression);
}

/// A variable of the same value that records nothing: to run code written for variables without a tape.
template <TensorLike X>
  requires DifferentiableElement<value_type_t<X>>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> constant(const X& x) {
  if constexpr (VariableType<X>) return {x.value(), autograd::NodePointer()};
  else if constexpr (Recorded<X>) return {autograd::recorded(x).value(), autograd::NodePointer()};
  else return {eval(x), autograd::NodePointer()};
}

namespace autograd {

/// An operation whose gradient is `pull(pass, gradient)`.
template <Element T, Device D, class Pull>
class Operation final : public Node {
 public:
  Operation(std::span<NodePointer> operands, Pull pull) : Node(operands), pull_(std::move(pull)) {}
  void pull(Pass& pass) const override { pull_(pass, pass.take<T, D>(this)); }

 private:
  Pull pull_;
};

/// A variable of this value, computed from variables with these nodes, an array or vector of `NodePointer`.
/// `pull(pass, gradient)` computes the gradients of the operands from that of the value; it may hold tensors and edges,
/// but no variables and no nodes. If no operand records gradients, neither does the result, and `pull` is dropped.
template <Element T, Device D, class Nodes, class Pull>
[[nodiscard]] Variable<T, D> record(Tensor<T, D> value, Nodes operands, Pull pull) {
  bool any = false;
  for (const NodePointer& operand : operands) any = any || operand;
  if (!any) return {std::move(value), NodePointer()};
  return {std::move(value), NodePointer(new Operation<T, D, Pull>(operands, std::move(pull)))};
}

/// An operand as a variable: evaluated if it is an expression, a constant if it records nothing.
template <TensorLike X>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> as_variable(const X& x) {
  if constexpr (VariableType<X>) return x;
  else if constexpr (Recorded<X>) return recorded(x);
  else return constant(x);
}

/// The nodes of variables, for `record`.
template <class... V>
[[nodiscard]] std::array<NodePointer, sizeof...(V)> nodes_of(const V&... variables) {
  return {variables.node()...};
}

}  // namespace autograd

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// `backward(loss)`: the gradients of all parameters that a number depends on.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/node.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/error.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// The result of `backward`: for each parameter a tensor with its element type, device and shape.
///
///     Gradients gradients = backward(loss);
///     Tensor g = gradients[w];
class Gradients {
 public:
  Gradients() = default;
  explicit Gradients(std::vector<autograd::Collected> collected) {
    for (autograd::Collected& entry : collected) {
      const autograd::Node* const node = entry.node.get();
      entries_.emplace(node, std::move(entry));
    }
  }

  /// The gradient of a parameter. It may be changed, to clip it. Throws `ValueError` if the loss does not depend on
  /// this variable, or if the variable was computed and is not a parameter.
  template <DifferentiableElement T, Device D>
  [[nodiscard]] Tensor<T, D>& operator[](const Variable<T, D>& parameter) {
    return static_cast<autograd::HeldTensor<T, D>&>(*entry(parameter).gradient).tensor;
  }
  template <DifferentiableElement T, Device D>
  [[nodiscard]] const Tensor<T, D>& operator[](const Variable<T, D>& parameter) const {
    return static_cast<const autograd::HeldTensor<T, D>&>(*entry(parameter).gradient).tensor;
  }

  /// Whether there is a gradient for this variable.
  template <DifferentiableElement T, Device D>
  [[nodiscard]] bool contains(const Variable<T, D>& parameter) const {
    return entries_.contains(parameter.node().get());
  }

  /// The number of parameters with a gradient.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  /// Adds the gradients of another loss: those of a parameter that both have are added up in place, and the others are
  /// taken over. Needs less memory than one `backward` of the sum of many losses, because each graph can be freed before
  /// the next one is recorded. Throws `ShapeError` if a gradient was replaced by one of another shape, and `OutOfMemory`;
  /// then nothing has changed.
  ///
  ///     Gradients total;
  ///     for (const auto& [x, y] : batches) total += backward(mse_loss(net(x), y) / 4);   // of four batches
  template <std::same_as<Gradients> Other>  // a template, so that only programs that call it compile it
  Gradients& operator+=(const Other& other) {
    std::unordered_map<const autograd::Node*, autograd::Collected> added;
    for (const auto& [node, entry] : other.entries_) {
      const auto found = entries_.find(node);
      if (found == entries_.end()) added.emplace(node, autograd::Collected{entry.node, held(entry).copy()});
      else held(found->second).expect(held(entry));
    }
    entries_.reserve(entries_.size() + added.size());
    for (const auto& [node, entry] : other.entries_) {
      const auto found = entries_.find(node);
      if (found != entries_.end()) held(found->second).add(held(entry));
    }
    entries_.merge(added);
    return *this;
  }

 private:
  [[nodiscard]] static autograd::AnyHeldTensor& held(const autograd::Collected& entry) {
    return static_cast<autograd::AnyHeldTensor&>(*entry.gradient);
  }
  template <DifferentiableElement T, Device D>
  [[nodiscard]] const autograd::Collected& entry(const Variable<T, D>& parameter) const {
    const auto found = entries_.find(parameter.node().get());
    if (found == entries_.end()) {
      throw ValueError("gradients: there is none of this variable of shape " + parameter.shape().to_string() + " on " +
                       device_name(D{}) + ": " + why_none(parameter.node().get()));
    }
    return found->second;
  }
  [[nodiscard]] static const char* why_none(const autograd::Node* node) {
    if (node == nullptr) return "it is a constant; make it a parameter, Variable(tensor)";
    if (!node->is_parameter()) return "it was computed from others, and only parameters, Variable(tensor), have one";
    return "the loss does not depend on it, or it was updated since; read gradients before the step that updates it";
  }

  // the handles keep the nodes alive, so that no other node has the address of one
  std::unordered_map<const autograd::Node*, autograd::Collected> entries_;
};

/// `loss += gradients`, `backward(a) + backward(b)`: "gradients do not add up: fix: add the losses, and call backward
/// once".
struct gradients_do_not_add_up {
  struct fix_add_the_losses_and_call_backward_once {
    fix_add_the_losses_and_call_backward_once(const Gradients&) = delete;
  };
};
Gradients operator+(const Gradients&, gradients_do_not_add_up::fix_add_the_losses_and_call_backward_once);
template <class T, class D>
void operator+=(Variable<T, D>&, gradients_do_not_add_up::fix_add_the_losses_and_call_backward_once);

/// The gradients of all parameters that `y` was computed from, given the gradient of `y` itself, which has its shape
/// (else `ShapeError`). `y` may be an expression. Throws `ValueError` if `y` depends on no parameter.
template <Recorded Y, TensorLike G>
  requires std::same_as<value_type_t<Y>, value_type_t<G>> && std::same_as<device_t<Y>, device_t<G>> && (!Recorded<G>)
[[nodiscard]] Gradients backward(const Y& y, const G& gradient) {
  using T = value_type_t<Y>;
  using D = device_t<Y>;
  const Variable<T, D> variable = autograd::as_variable(y);
  if (!(variable.shape() == gradient.shape())) {
    throw ShapeError("backward: the gradient has shape " + gradient.shape().to_string() + ", but the variable has " +
                     variable.shape().to_string() + "; they must be equal");
  }
  if (!variable.records()) {
    throw ValueError("backward: the variable of shape " + variable.shape().to_string() + " on " + device_name(D{}) +
                     " is a constant: it was computed from no parameter; make one, Variable(tensor)");
  }
  autograd::Pass pass;
  pass.add(variable.edge(), Tensor<T, D>(eval(gradient)));
  std::vector<autograd::Collected> collected = pass.run();
  return Gradients(std::move(collected));
}

/// "The loss is complex: fix: call real or abs", or pass its gradient.
struct the_loss_is_complex {
  struct fix_call_real_or_abs {
    template <ComplexElement T, class D>
    fix_call_real_or_abs(const placed<T, D>&) = delete;
  };
};
Gradients backward(the_loss_is_complex::fix_call_real_or_abs);

/// The gradients of all parameters that a loss was computed from. The loss has one element (else `ShapeError`). Nothing
/// accumulates in the parameters or in the graph: calling it twice returns the same twice, and several threads may call
/// it at once. The graph is freed with the last variable that was computed in it.
///
///     Variable loss = cross_entropy(matmul(x, w) + b, labels);
///     auto gradients = backward(loss);
///     w.update([&](auto& value) { value -= 0.1f * gradients[w]; });
template <Recorded Y>
  requires(!ComplexElement<value_type_t<Y>>)
[[nodiscard]] Gradients backward(const Y& loss) {
  const auto variable = autograd::as_variable(loss);
  if (variable.size() != 1) {
    throw ShapeError("backward: the loss has shape " + variable.shape().to_string() +
                     "; it must have one element (take sum or mean), or pass its gradient, backward(y, g)");
  }
  return backward(variable, ones<value_type_t<Y>>(variable.shape(), device_t<Y>{}));
}

}  // namespace situ

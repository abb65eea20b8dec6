// SPDX-License-Identifier: Apache-2.0
// The node of a spread parameter: one for all of its parts, so that its gradient is one spread value.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/autograd/node.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/parallel/joint.hpp>
#include <situ/parallel/reduction.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// The layout of a value's gradient. Equal replicas that are each read once are one value with several readers: its
/// gradient is the sum of theirs. A term of a sum gets the gradient of the sum.
template <SpreadLayout L>
struct GradientLayout {
  using type = L;
};
template <>
struct GradientLayout<Replicated> {
  using type = Partial<ReduceOp::sum>;
};
template <>
struct GradientLayout<Partial<ReduceOp::sum>> {
  using type = Replicated;
};

}  // namespace internal

/// The layout of the gradient of a value of layout `L`: `Partial<>` for `Replicated`, `Replicated` for `Partial<>`,
/// otherwise `L`.
template <SpreadLayout L>
using gradient_layout_t = typename internal::GradientLayout<L>::type;

namespace internal {

/// A spread parameter of any type.
class AnyJointParameter : public autograd::Node {
 public:
  void pull(autograd::Pass&) const override {}
  [[nodiscard]] bool is_parameter() const noexcept override { return true; }

  /// Turns what the pass has collected into the gradient, a `HeldSpread`.
  [[nodiscard]] virtual std::unique_ptr<autograd::AnyTensor> gradient(
      std::unique_ptr<autograd::AnyTensor> parts) const = 0;
  /// The function that reduces its gradient, null if there is nothing to do: the same function for parameters that may
  /// be reduced together.
  [[nodiscard]] virtual Reduction reduction() const noexcept = 0;
  /// The function that leaves each device its piece of the summed gradient, null if there is nothing to do.
  [[nodiscard]] virtual Reduction scatter() const noexcept = 0;
  /// Whether a parameter with the same `reduction` is on the same mesh.
  [[nodiscard]] virtual bool same_mesh(const AnyJointParameter& other) const = 0;
  /// The memory of the gradient on one device.
  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;
  /// Layout, shape and places, for error messages.
  [[nodiscard]] virtual std::string description() const = 0;

 protected:
  AnyJointParameter() : Node({}) {}
};

/// "that is Replicated, of shape (2, 3), over cuda:0, cuda:1".
template <SpreadLayout Layout, class Mesh>
[[nodiscard]] std::string describe_spread(const Mesh& mesh, const Shape& shape) {
  std::string text = "that is " + LayoutFacts<Layout>::name() + ", of shape " + shape.to_string() + ", over ";
  for (std::size_t part = 0; part != mesh.size(); ++part) text += (part == 0 ? "" : ", ") + mesh.place(part);
  return text;
}

template <Element T, class Mesh, class Devices = typename Mesh::devices>
class JointParameterOnMesh;
template <Element T, class Mesh, class... D>
class JointParameterOnMesh<T, Mesh, std::tuple<D...>> : public AnyJointParameter {
 public:
  JointParameterOnMesh(Mesh mesh, const Shape& shape, const std::array<Shape, sizeof...(D)>& parts)
      : mesh_(std::move(mesh)), shape_(shape), parts_(parts) {}

  [[nodiscard]] bool same_mesh(const AnyJointParameter& other) const override {
    const auto* const same_type = dynamic_cast<const JointParameterOnMesh*>(&other);
    return same_type != nullptr && same_type->mesh_ == mesh_;
  }
  [[nodiscard]] const Mesh& mesh() const noexcept { return mesh_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return static_cast<std::size_t>(parts_[0].count()) * sizeof(T);
  }

 protected:
  template <class Layout>
  [[nodiscard]] std::unique_ptr<autograd::AnyTensor> gradient_of(std::unique_ptr<autograd::AnyTensor> parts) const {
    using Held = HeldSpread<T, Layout, Mesh>;
    auto& held = static_cast<autograd::HeldParts<T, D...>&>(*parts);
    return std::make_unique<Held>(typename Held::Spread(mesh_, shape_, std::move(held).complete(parts_)));
  }

 private:
  [[no_unique_address]] Mesh mesh_;
  Shape shape_;
  std::array<Shape, sizeof...(D)> parts_;
};

template <Element T, SpreadLayout Layout, class Mesh>
class JointParameter final : public JointParameterOnMesh<T, Mesh> {
 public:
  using JointParameterOnMesh<T, Mesh>::JointParameterOnMesh;

  [[nodiscard]] std::unique_ptr<autograd::AnyTensor> gradient(
      std::unique_ptr<autograd::AnyTensor> parts) const override {
    return this->template gradient_of<gradient_layout_t<Layout>>(std::move(parts));
  }
  [[nodiscard]] Reduction reduction() const noexcept override {
    if constexpr (std::same_as<Layout, Replicated>) return &reduce_together<T, Mesh>;
    else return nullptr;
  }
  [[nodiscard]] Reduction scatter() const noexcept override {
    if constexpr (std::same_as<Layout, Replicated>) return &scatter_alone<T, Mesh>;
    else return nullptr;
  }
  [[nodiscard]] std::string description() const override {
    return describe_spread<Layout>(this->mesh(), this->shape());
  }
};

/// The parameter that this variable is a part of, or null.
[[nodiscard]] inline const AnyJointParameter* joint_parameter(const autograd::Node* part) noexcept {
  const auto* const output = dynamic_cast<const autograd::AnyJointOutput*>(part);
  return output == nullptr ? nullptr : dynamic_cast<const AnyJointParameter*>(output->joint());
}

/// Whether these are the parts of one parameter, in its order.
[[nodiscard]] inline bool are_parts_in_order(const AnyJointParameter& parameter,
                                             std::span<const autograd::Node* const> parts) noexcept {
  for (std::size_t at = 0; at != parts.size(); ++at) {
    const auto* const output = dynamic_cast<const autograd::AnyJointOutput*>(parts[at]);
    if (output == nullptr || output->joint() != &parameter || output->number() != at) return false;
  }
  return true;
}
[[noreturn]] inline void fail_other_parts(const std::string& asked, std::span<const autograd::Node* const> parts) {
  const AnyJointParameter* of = nullptr;
  for (const autograd::Node* const part : parts) {
    if (of == nullptr) of = joint_parameter(part);
  }
  throw ValueError("gradients: there is none of a variable " + asked + ", combined from parts of a parameter " +
                   of->description() +
                   ": a gradient is that of all parts of a parameter, in their order and layout; ask with the " +
                   "parameter itself, and where replicas were changed by hand call join() before the loss");
}

/// The parameter that these are parts of, as one value of this layout on this mesh. Null if none of them is a part of
/// one. Throws `ValueError` if they are the parts of a parameter in another order, only some of them, or parts of one
/// with another layout: a single part does not determine the type of the gradient.
template <SpreadLayout Layout, class Mesh, FloatingElement T, Device... D>
[[nodiscard]] const AnyJointParameter* parameter_of(const Mesh& mesh, const Shape& shape,
                                                    const Variable<T, D>&... parts) {
  const autograd::Node* const nodes[] = {parts.node().get()...};
  bool any = false;
  for (const autograd::Node* const node : nodes) any = any || joint_parameter(node) != nullptr;
  if (!any) return nullptr;
  const auto* const found = dynamic_cast<const JointParameter<T, Layout, Mesh>*>(joint_parameter(nodes[0]));
  if (found == nullptr || !(found->mesh() == mesh) || !are_parts_in_order(*found, nodes)) {
    fail_other_parts(describe_spread<Layout>(mesh, shape), nodes);
  }
  return found;
}

/// Makes variables the parts of one new parameter; their values are unchanged. Constants remain constants.
template <SpreadLayout Layout, class Mesh, FloatingElement T, Device... D>
void join_parameter(const Mesh& mesh, const Shape& shape, Variable<T, D>&... parts) {
  if (!(parts.records() || ...)) return;
  const autograd::NodePointer joint(
      new JointParameter<T, Layout, Mesh>(mesh, shape, std::array<Shape, sizeof...(D)>{parts.shape()...}));
  const std::tuple<Variable<T, D>&...> all(parts...);
  autograd::for_each_part<sizeof...(D)>([&](auto at) {
    auto& part = std::get<at>(all);
    using V = std::remove_cvref_t<decltype(part)>;
    Tensor value = part.value();
    part = V(std::move(value), autograd::NodePointer(new autograd::JointOutput<at, T, D...>(joint)));
  });
}

}  // namespace internal

}  // namespace situ

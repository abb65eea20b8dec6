// SPDX-License-Identifier: Apache-2.0
// The node of a parameter that is spread: one for all of its parts, so that its gradient is one spread value.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/autograd/node.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/dtype.hpp>
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

/// The layout of a value's gradient. Equal replicas that are read once each are one value that is read by all: its
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

/// The layout of the gradient of a value of layout `L`: `Partial<>` of `Replicated`, `Replicated` of `Partial<>`, else
/// `L`.
template <SpreadLayout L>
using gradient_layout_t = typename internal::GradientLayout<L>::type;

namespace internal {

/// A spread parameter, whatever its type.
class AnyJointParameter : public autograd::Node {
 public:
  void pull(autograd::Pass&) const override {}
  [[nodiscard]] bool is_parameter() const noexcept override { return true; }

  /// What the pass has collected as the gradient that it is, a `HeldSpread`.
  [[nodiscard]] virtual std::unique_ptr<autograd::AnyTensor> gradient(
      std::unique_ptr<autograd::AnyTensor> parts) const = 0;
  /// What reduces its gradient, null where there is nothing to do: the same function for parameters that may go
  /// together.
  [[nodiscard]] virtual Reduction reduction() const noexcept = 0;
  /// What leaves each device its piece of the sum of one gradient, null where there is nothing to do.
  [[nodiscard]] virtual Reduction scatter() const noexcept = 0;
  /// Whether a parameter with the same `reduction` is on the same mesh.
  [[nodiscard]] virtual bool same_mesh(const AnyJointParameter& other) const = 0;
  /// The memory of the gradient on one device.
  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;

 protected:
  AnyJointParameter() : Node({}) {}
};

template <Element T, class Mesh, class Devices = typename Mesh::devices>
class JointParameterOnMesh;
template <Element T, class Mesh, class... D>
class JointParameterOnMesh<T, Mesh, std::tuple<D...>> : public AnyJointParameter {
 public:
  JointParameterOnMesh(Mesh mesh, const Shape& shape, const std::array<Shape, sizeof...(D)>& parts)
      : mesh_(std::move(mesh)), shape_(shape), parts_(parts) {}

  [[nodiscard]] bool same_mesh(const AnyJointParameter& other) const override {
    return static_cast<const JointParameterOnMesh&>(other).mesh_ == mesh_;
  }
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
};

/// The parameter that this variable is a part of, null if it is of none.
[[nodiscard]] inline const AnyJointParameter* joint_parameter(const autograd::Node* part) noexcept {
  const auto* const output = dynamic_cast<const autograd::AnyJointOutput*>(part);
  if (output == nullptr || !output->joint()->is_parameter()) return nullptr;
  return static_cast<const AnyJointParameter*>(output->joint());
}

/// Makes variables the parts of one new parameter; their values stay. Constants stay constants.
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

// SPDX-License-Identifier: Apache-2.0
// One backward pass over a graph: the gradients in flight, and the order in which nodes are visited.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <situ/autograd/node.hpp>
#include <situ/core/config.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::autograd {

/// Where the gradient of an operand goes. Null, that is false, for a constant, whose gradient is not wanted. The node
/// that holds the edge owns the node that it points to.
struct Edge {
  Node* node = nullptr;
  Shape shape;

  explicit operator bool() const noexcept { return node != nullptr; }
};

/// A tensor of any element type and device, or several.
struct AnyTensor {
  virtual ~AnyTensor() = default;
};
/// One tensor of any element type and device. Sums have two steps, so that several are made or none.
struct AnyHeldTensor : AnyTensor {
  /// A handle to the same elements.
  [[nodiscard]] virtual std::unique_ptr<AnyTensor> copy() const = 0;
  /// Makes `add` of one with the same element type and device possible without an allocation. Throws `ShapeError`,
  /// `OutOfMemory`; no value changes.
  virtual void expect(const AnyHeldTensor& other) = 0;
  virtual void add(const AnyHeldTensor& other) = 0;
};
template <Element T, Device D>
struct HeldTensor final : AnyHeldTensor {
  explicit HeldTensor(Tensor<T, D> held) : tensor(std::move(held)) {}

  [[nodiscard]] std::unique_ptr<AnyTensor> copy() const override { return std::make_unique<HeldTensor>(tensor); }
  void expect(const AnyHeldTensor& other) override {
    const Shape& shape = of(other).shape();
    if (!(tensor.shape() == shape)) {
      throw ShapeError("gradients: += of shapes " + tensor.shape().to_string() + " and " + shape.to_string() +
                       " of one parameter; a gradient has the shape of its parameter");
    }
    tensor.make_unique(/*row_major=*/true);
  }
  void add(const AnyHeldTensor& other) override { tensor += of(other); }

  Tensor<T, D> tensor;

 private:
  [[nodiscard]] static const Tensor<T, D>& of(const AnyHeldTensor& other) {
    return static_cast<const HeldTensor&>(other).tensor;
  }
};

/// A node of the graph with its accumulated gradient.
struct Collected {
  NodePointer node;
  std::unique_ptr<AnyTensor> gradient;
};

/// Notified of each parameter's gradient as soon as it is complete, while the pass continues.
struct GradientListener {
  virtual ~GradientListener() = default;
  virtual void complete(Collected gradient) = 0;
};

/// The state of one `backward`. It belongs to the call, not to the graph: several threads may each have one.
class Pass {
 public:
  /// Adds to the gradient of an operand; its shape must be the operand's. Does nothing if no gradient is wanted.
  template <Element T, Device D>
  void add(const Edge& edge, Tensor<T, D> gradient) {
    if (!edge) return;
    SITU_ASSERT(gradient.shape() == edge.shape);
    std::unique_ptr<AnyTensor>& held = pending(edge.node);
    if (held == nullptr) {
      held = std::make_unique<HeldTensor<T, D>>(std::move(gradient));
    } else {
      Tensor<T, D>& sum = static_cast<HeldTensor<T, D>&>(*held).tensor;
      sum = sum + gradient;
    }
  }

  /// Adds to a part of the gradient of an operand, and leaves the rest unchanged: 0 if nothing was added to it. `part`
  /// is the layout of the part in a row-major tensor of the operand's shape; it must not contain an element twice.
  template <Element T, Device D>
  void add_part(const Edge& edge, const Layout& part, const Tensor<T, D>& gradient) {
    if (!edge) return;
    std::unique_ptr<AnyTensor>& held = pending(edge.node);
    if (held == nullptr) held = std::make_unique<HeldTensor<T, D>>(zeros<T>(edge.shape, D{}));
    if (part.shape.count() == 0) return;
    Tensor<T, D>& whole = static_cast<HeldTensor<T, D>&>(*held).tensor;
    whole.make_unique(/*row_major=*/true);
    internal::Storage<D> storage = whole.storage();
    assign(storage, part, Tensor<T, D>(storage, part) + gradient);
  }

  /// The accumulated gradient of a node; called once by its `pull`.
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> take(const Node* node) {
    const auto found = pending_.find(node);
    Tensor<T, D> gradient = std::move(static_cast<HeldTensor<T, D>&>(*found->second).tensor);
    pending_.erase(found);
    return gradient;
  }

  /// The pending gradient of a node that gets several tensors, one by one: a `Held`, created at the first call.
  template <class Held>
  [[nodiscard]] Held& held(Node* node) {
    std::unique_ptr<AnyTensor>& any = pending(node);
    if (any == nullptr) any = std::make_unique<Held>();
    return static_cast<Held&>(*any);
  }
  /// The same, called once by the node's `pull`.
  template <class Held>
  [[nodiscard]] Held take_held(const Node* node) {
    const auto found = pending_.find(node);
    Held held = std::move(static_cast<Held&>(*found->second));
    pending_.erase(found);
    return held;
  }

  /// Visits nodes from those that have a gradient to the parameters. A node is visited after all readers of its value,
  /// which are higher. Among nodes of one height, the one that got its gradient first comes first, so that sums always
  /// have the same order.
  ///
  /// With a listener, the gradient of a parameter is passed to it after the parameter's last reader; the result
  /// contains those that this does not reach.
  [[nodiscard]] std::vector<Collected> run(GradientListener* listener = nullptr) {
    if (listener != nullptr) count_readers();
    std::vector<Collected> parameters;
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end(), comes_later);
      Node* const node = queue_.back().node;
      queue_.pop_back();
      if (!pending_.contains(node)) continue;  // visited early
      if (node->is_parameter()) parameters.push_back(collected(node));
      else take_turn(node, listener);
    }
    return parameters;
  }

 private:
  struct Turn {
    Node* node;
    std::int64_t height;
    std::uint64_t number;
  };
  [[nodiscard]] static bool comes_later(const Turn& a, const Turn& b) noexcept {
    return a.height != b.height ? a.height < b.height : a.number > b.number;
  }

  [[nodiscard]] Collected collected(Node* node) {
    const auto found = pending_.find(node);
    Collected entry{NodePointer::share(node), std::move(found->second)};
    pending_.erase(found);
    return entry;
  }

  /// Visits it; then operands that waited only for it and pass gradients on, and notifies the listener of parameters.
  void take_turn(Node* node, GradientListener* listener) {
    node->pull(*this);
    if (listener == nullptr) return;
    for (const NodePointer& operand : node->operands()) {
      Node* const below = operand.get();
      if (--readers_[below] != 0 || !pending_.contains(below)) continue;
      if (below->is_parameter()) listener->complete(collected(below));
      else if (below->hands_on()) take_turn(below, listener);
    }
  }

  /// How often each node of the graph is an operand.
  void count_readers() {
    std::vector<const Node*> walk;
    for (const Turn& turn : queue_) {
      if (readers_.try_emplace(turn.node).second) walk.push_back(turn.node);
    }
    while (!walk.empty()) {
      const Node* const node = walk.back();
      walk.pop_back();
      for (const NodePointer& operand : node->operands()) {
        const auto [found, is_new] = readers_.try_emplace(operand.get());
        ++found->second;
        if (is_new) walk.push_back(operand.get());
      }
    }
  }

  [[nodiscard]] std::unique_ptr<AnyTensor>& pending(Node* node) {
    const auto [found, is_new] = pending_.try_emplace(node);
    if (is_new) {
      queue_.push_back({node, node->height(), count_++});
      std::push_heap(queue_.begin(), queue_.end(), comes_later);
    }
    return found->second;
  }

  std::unordered_map<const Node*, std::unique_ptr<AnyTensor>> pending_;
  std::unordered_map<const Node*, std::int64_t> readers_;  // readers not yet visited; for listeners
  std::vector<Turn> queue_;                                // a heap
  std::uint64_t count_ = 0;
};

}  // namespace situ::autograd

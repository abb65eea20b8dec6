// SPDX-License-Identifier: Apache-2.0
// The graph of recorded operations. A node is one operation: it owns the nodes of its operands, and the parts of their
// values that it keeps. Nothing else owns a graph, so it lives as long as a variable computed in it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace situ::autograd {

class Pass;
class NodePointer;

/// One operation, or one parameter. Immutable once made, so that any number of threads may traverse it.
class Node {
 public:
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  /// Takes the gradient of its own value from the pass, and adds to those of its operands.
  virtual void pull(Pass& pass) const = 0;

  /// Whether gradients end here, and are returned to the caller of `backward`.
  [[nodiscard]] virtual bool is_parameter() const noexcept { return false; }

  /// 0 for a parameter, otherwise one more than the highest operand: consumers are above their operands.
  [[nodiscard]] std::int64_t height() const noexcept { return height_; }

  /// Whether it may be visited as soon as all readers of its value have been, before higher nodes: true for nodes that
  /// only pass their gradient on. See `Pass::run`.
  [[nodiscard]] virtual bool hands_on() const noexcept { return false; }

  /// The nodes of its operands.
  [[nodiscard]] std::span<const NodePointer> operands() const noexcept;

 protected:
  /// Takes ownership of the operands. A derived class must not own nodes in any other way: see `release`.
  explicit Node(std::span<NodePointer> operands);

 private:
  friend class NodePointer;

  /// Releases one handle.
  static void release(Node* node) noexcept;
  [[nodiscard]] bool drop() noexcept { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

  std::atomic<std::int32_t> count_{1};
  std::int64_t height_ = 0;
  Node* next_ = nullptr;  // in the list of nodes to be freed
  std::vector<NodePointer> operands_;
};

/// A counted handle of a node, or null.
class NodePointer {
 public:
  constexpr NodePointer() noexcept = default;
  /// Adopts the handle that a new node is created with.
  explicit NodePointer(Node* node) noexcept : node_(node) {}
  /// One more handle to a live node.
  [[nodiscard]] static NodePointer share(Node* node) noexcept {
    node->count_.fetch_add(1, std::memory_order_relaxed);
    return NodePointer(node);
  }

  NodePointer(const NodePointer& other) noexcept : node_(other.node_) {
    if (node_ != nullptr) node_->count_.fetch_add(1, std::memory_order_relaxed);
  }
  NodePointer(NodePointer&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  NodePointer& operator=(NodePointer other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~NodePointer() {
    if (node_ != nullptr) Node::release(node_);
  }

  [[nodiscard]] Node* get() const noexcept { return node_; }
  [[nodiscard]] explicit operator bool() const noexcept { return node_ != nullptr; }

 private:
  friend class Node;

  Node* node_ = nullptr;
};

inline Node::Node(std::span<NodePointer> operands) {
  operands_.reserve(operands.size());
  for (NodePointer& operand : operands) {
    if (!operand) continue;
    height_ = std::max(height_, operand.get()->height_ + 1);
    operands_.push_back(std::move(operand));
  }
}

inline std::span<const NodePointer> Node::operands() const noexcept { return operands_; }

// Frees a chain of a million nodes in a loop: destructors that call each other would need a stack as deep. The list of
// nodes to be freed is threaded through the nodes, so this allocates nothing and cannot fail.
inline void Node::release(Node* node) noexcept {
  if (!node->drop()) return;
  Node* unowned = node;
  while (unowned != nullptr) {
    Node* const dead = unowned;
    unowned = dead->next_;
    for (NodePointer& operand : dead->operands_) {
      Node* const below = std::exchange(operand.node_, nullptr);
      if (!below->drop()) continue;
      below->next_ = unowned;
      unowned = below;
    }
    delete dead;
  }
}

}  // namespace situ::autograd

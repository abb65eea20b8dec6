// SPDX-License-Identifier: Apache-2.0
// Reduces gradients, several parameters at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <situ/autograd/pass.hpp>
#include <situ/parallel/parameter.hpp>
#include <situ/parallel/reduction.hpp>

namespace situ {

/// How much is reduced at a time.
struct Buckets {
  /// A bucket is closed at this many bytes on one device. 25 MiB is the value of PyTorch's DistributedDataParallel.
  std::size_t bytes = std::size_t{25} << 20;
};

namespace internal {

/// Makes the gradient of a spread parameter from what the pass has collected; other entries are unchanged.
inline const AnyJointParameter* make_spread_gradient(autograd::Collected& entry) {
  const auto* const parameter = dynamic_cast<const AnyJointParameter*>(entry.node.get());
  if (parameter != nullptr) entry.gradient = parameter->gradient(std::move(entry.gradient));
  return parameter;
}

/// Reduces gradients in the order in which they arrive, one bucket at a time. That order is the tape's, the same on all
/// ranks of a mesh.
class ReducedInBuckets final : public autograd::GradientListener {
 public:
  ReducedInBuckets(const Buckets& buckets, bool beside) : limit_(buckets.bytes), beside_(beside) {}

  /// Called by the pass.
  void complete(autograd::Collected entry) override {
    make_spread_gradient(entry);
    add(std::move(entry));
  }

  /// A gradient that is a spread value.
  void add(autograd::Collected entry) {
    const auto* const parameter = dynamic_cast<const AnyJointParameter*>(entry.node.get());
    const Reduction reduction = parameter == nullptr ? nullptr : parameter->reduction();
    done_.push_back(std::move(entry));
    if (reduction == nullptr) return;
    Bucket& bucket = bucket_of(*parameter);
    bucket.entries.push_back(done_.size() - 1);
    bucket.bytes += parameter->bytes();
    if (bucket.bytes >= limit_) reduce(bucket);
  }

  /// All of them, reduced.
  [[nodiscard]] std::vector<autograd::Collected> take() && {
    for (Bucket& bucket : buckets_) {
      if (!bucket.entries.empty()) reduce(bucket);
    }
    for (const Begun& reduction : begun_) reduction.rest(gradients_of(reduction.entries));
    return std::move(done_);
  }

 private:
  /// Gradients of one element type on one mesh.
  struct Bucket {
    const AnyJointParameter* like;
    std::vector<std::size_t> entries;
    std::size_t bytes = 0;
  };
  /// A reduction that runs while the pass continues.
  struct Begun {
    std::vector<std::size_t> entries;
    RestOfReduction rest;
  };

  [[nodiscard]] Bucket& bucket_of(const AnyJointParameter& parameter) {
    for (Bucket& bucket : buckets_) {
      if (bucket.like->reduction() == parameter.reduction() && bucket.like->same_mesh(parameter)) return bucket;
    }
    return buckets_.emplace_back(Bucket{&parameter, {}, 0});
  }

  void reduce(Bucket& bucket) {
    RestOfReduction rest = bucket.like->reduction()(gradients_of(bucket.entries), beside_);
    if (rest) begun_.push_back({bucket.entries, std::move(rest)});
    bucket.entries.clear();
    bucket.bytes = 0;
  }
  [[nodiscard]] std::vector<std::unique_ptr<autograd::AnyTensor>*> gradients_of(
      const std::vector<std::size_t>& entries) {
    std::vector<std::unique_ptr<autograd::AnyTensor>*> gradients;
    for (const std::size_t at : entries) gradients.push_back(&done_[at].gradient);
    return gradients;
  }

  std::size_t limit_;
  bool beside_;
  std::vector<autograd::Collected> done_;
  std::vector<Bucket> buckets_;
  std::vector<Begun> begun_;
};

}  // namespace internal

}  // namespace situ

// SPDX-License-Identifier: Apache-2.0
// The gradients of spread parameters, whose type says what remains to be done: `PendingGradients` are terms of sums,
// one per device, until `all_reduce` makes them `ReducedGradients`, which an optimizer takes.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <situ/autograd/pass.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/call_site.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/distributed/at_site.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/ops/creation.hpp>
#include <situ/parallel/buckets.hpp>
#include <situ/parallel/diagnostics.hpp>
#include <situ/parallel/parameter.hpp>
#include <situ/parallel/variable.hpp>

namespace situ {

namespace internal {

/// Gradients by parameter, in the order in which the pass reached them; `LayoutOf<L>` is the layout of the gradient of
/// an `L`.
template <template <class> class LayoutOf>
class SpreadGradients {
  template <class T, class Layout, class Mesh>
  using Held = HeldSpread<T, typename LayoutOf<Layout>::type, Mesh>;

 public:
  /// Selects the message of an optimizer for tensors.
  using of_spread_parameters = void;

  SpreadGradients() = default;
  explicit SpreadGradients(std::vector<autograd::Collected> entries) : entries_(std::move(entries)) {
    for (std::size_t at = 0; at != entries_.size(); ++at) numbers_.emplace(entries_[at].node.get(), at);
  }

  /// The gradient of a parameter. It may be changed, the same way on each device. Throws `ValueError` if the loss does
  /// not depend on this variable, if the variable was computed and is not a parameter, and for parts of a parameter
  /// that `as` has combined in another order or layout.
  template <FloatingElement T, class Layout, class... Where>
  [[nodiscard]] auto& operator[](const SpreadVariable<T, Layout, Where...>& parameter) {
    return held<T, Layout, mesh_t<Where...>>(parameter).spread;
  }
  template <FloatingElement T, class Layout, class... Where>
  [[nodiscard]] const auto& operator[](const SpreadVariable<T, Layout, Where...>& parameter) const {
    return held<T, Layout, mesh_t<Where...>>(parameter).spread;
  }

  /// Whether there is a gradient for this variable. Throws `ValueError` for one that `as` has combined from the parts
  /// of a parameter in another order or layout.
  template <FloatingElement T, class Layout, class... Where>
  [[nodiscard]] bool contains(const SpreadVariable<T, Layout, Where...>& parameter) const {
    return find(whole<Layout>(parameter)) != nullptr;
  }

  /// The number of parameters with a gradient.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  /// For the library: a reference to the gradient of a parameter, a `ParameterParts`; or null.
  template <class P>
  [[nodiscard]] auto* of(const P& parameter) const {
    autograd::AnyTensor* const found = find(parameter.whole());
    using Own = Held<typename P::value_type, typename P::layout_type, typename P::mesh_type>;
    return found == nullptr ? nullptr : &static_cast<Own&>(*found).spread;
  }
  /// For the library: all of them, in order.
  [[nodiscard]] std::vector<autograd::Collected> take() && { return std::move(entries_); }

 private:
  /// The type of the entry found is the parameter's, which `parameter_of` has compared.
  [[nodiscard]] autograd::AnyTensor* find(const AnyJointParameter* parameter) const {
    const auto found = numbers_.find(parameter);
    return found == numbers_.end() ? nullptr : entries_[found->second].gradient.get();
  }
  template <class Layout, class Parameter>
  [[nodiscard]] static const AnyJointParameter* whole(const Parameter& parameter) {
    return std::apply(
        [&](const auto&... part) { return parameter_of<Layout>(parameter.mesh(), parameter.shape(), part...); },
        parameter.parts());
  }
  template <class T, class Layout, class Mesh, class Parameter>
  [[nodiscard]] auto& held(const Parameter& parameter) const {
    autograd::AnyTensor* const found = find(whole<Layout>(parameter));
    if (found == nullptr) {
      throw ValueError("gradients: there is none of this " + LayoutFacts<Layout>::name() + " variable of shape " +
                       parameter.shape().to_string() + ": " + why_none(std::get<0>(parameter.parts()).node().get()));
    }
    return static_cast<Held<T, Layout, Mesh>&>(*found);
  }
  [[nodiscard]] static const char* why_none(const autograd::Node* part) {
    if (part == nullptr) return "it is a constant; make it a parameter, SpreadVariable(spread)";
    if (joint_parameter(part) == nullptr)
      return "it was computed from others, and only parameters, SpreadVariable(spread), have one";
    return "the loss does not depend on it, or it was updated since; read gradients before the step that updates it";
  }

  std::vector<autograd::Collected> entries_;
  std::unordered_map<const autograd::Node*, std::size_t> numbers_;
};

/// The layout of a gradient after its terms are summed.
template <SpreadLayout L>
struct ReducedGradientLayout : GradientLayout<L> {};
template <>
struct ReducedGradientLayout<Replicated> {
  using type = Replicated;
};

}  // namespace internal

/// The gradients of a spread loss from `backward`: for a replicated parameter a `Partial<>`, one term per device; for a
/// sharded one its parts, which are complete. Optimizers do not take them: see `all_reduce`.
///
///     PendingGradients pending = backward(loss);
///     Spread g = pending[w];                      // Spread<float, Partial<>, Cuda<0>, Cuda<1>> of a Replicated w
class [[nodiscard]] PendingGradients : public internal::SpreadGradients<internal::GradientLayout> {
 public:
  using SpreadGradients::SpreadGradients;
};

/// Gradients with their terms summed: `Replicated` for a replicated parameter, `Sharded<k>` for a sharded one.
class [[nodiscard]] ReducedGradients : public internal::SpreadGradients<internal::ReducedGradientLayout> {
 public:
  using SpreadGradients::SpreadGradients;
};

namespace internal {

/// Runs the backward pass from a spread loss; the listener is told of gradients as they are complete.
template <RecordedSpread L>
[[nodiscard]] std::vector<autograd::Collected> collected_gradients(const L& loss,
                                                                   autograd::GradientListener* listener) {
  const auto variable = recorded_spread(loss);
  if (variable.size() != 1) {
    throw ShapeError("backward: the loss has shape " + variable.shape().to_string() +
                     "; it must have one element (take sum or mean)");
  }
  if (!variable.records()) {
    throw ValueError("backward: the " + LayoutFacts<layout_t<L>>::name() + " variable of shape " +
                     variable.shape().to_string() +
                     " is a constant: it was computed from no parameter; make one, SpreadVariable(spread)");
  }
  autograd::Pass pass;
  std::size_t number = variable.mesh().first();
  std::apply(
      [&]<class T, class... D>(const Variable<T, D>&... part) {
        // the value of a replicated loss is one replica; the others are copies, which nothing reads
        const auto seed = [&number] {
          return std::same_as<layout_t<L>, Replicated> && number++ != 0 ? compute_t<T>(0) : compute_t<T>(1);
        };
        (pass.add(part.edge(), full<T>(part.shape(), seed(), D{})), ...);
      },
      variable.parts());
  return pass.run(listener);
}

}  // namespace internal

/// The gradients of all spread parameters that a loss was computed from. The loss has one element (else `ShapeError`)
/// and is `Partial<>`, a mean over sharded rows, or `Replicated`. Calling it twice returns the same, as for a
/// `Variable`. The devices communicate only at the collectives of the loss, in reverse order; gradients of parameters
/// are not reduced.
///
///     SpreadVariable loss = cross_entropy(net(x), labels);       // x and labels are Sharded<0>
///     optimizer.step(net, all_reduce(backward(loss)));
template <RecordedSpread L>
  requires(std::same_as<layout_t<L>, Replicated> || std::same_as<layout_t<L>, Partial<ReduceOp::sum>>)
[[nodiscard]] PendingGradients backward(const L& loss) {
  std::vector<autograd::Collected> collected = internal::collected_gradients(loss, nullptr);
  for (autograd::Collected& entry : collected) internal::make_spread_gradient(entry);
  return PendingGradients(std::move(collected));
}
PendingGradients backward(a_sharded_value_is_not_a_loss::fix_call_sum_or_mean);
PendingGradients backward(local_values_are_not_a_loss::fix_call_as_Partial);

/// Sums the terms of gradients over the devices of each parameter; complete ones are unchanged. Parameters are packed
/// into vectors of up to `buckets.bytes`: one transfer per parameter would cost more than the copy. Every element is
/// the sum of its terms in the order of the devices, regardless of the buckets.
[[nodiscard]] inline ReducedGradients all_reduce(PendingGradients&& gradients, const Buckets& buckets = {},
                                                 CallSite site = CallSite::here()) {
  const internal::AtSite here(site);
  internal::ReducedInBuckets reduced(buckets, /*beside=*/false);
  for (autograd::Collected& entry : std::move(gradients).take()) reduced.add(std::move(entry));
  return ReducedGradients(std::move(reduced).take());
}
ReducedGradients all_reduce(these_gradients_are_added_up_already::fix_leave_out_all_reduce);
ReducedGradients all_reduce(these_gradients_are_used_up::fix_call_std_move, const Buckets& = {});

/// `all_reduce(backward(loss))`, except that a bucket is reduced as soon as its gradients are complete, while the pass
/// continues: on GPUs in streams of their own, over ranks as `all_reduce_async` does, so that the transfers of the last
/// layers overlap the work of the first. The same bits.
template <RecordedSpread L>
  requires(std::same_as<layout_t<L>, Replicated> || std::same_as<layout_t<L>, Partial<ReduceOp::sum>>)
[[nodiscard]] ReducedGradients backward_and_all_reduce(const L& loss, const Buckets& buckets = {},
                                                       CallSite site = CallSite::here()) {
  const internal::AtSite here(site);
  internal::ReducedInBuckets reduced(buckets, /*beside=*/true);
  std::vector<autograd::Collected> late = internal::collected_gradients(loss, &reduced);
  for (autograd::Collected& entry : late) reduced.complete(std::move(entry));
  return ReducedGradients(std::move(reduced).take());
}
ReducedGradients backward_and_all_reduce(a_sharded_value_is_not_a_loss::fix_call_sum_or_mean);
ReducedGradients backward_and_all_reduce(local_values_are_not_a_loss::fix_call_as_Partial);

}  // namespace situ

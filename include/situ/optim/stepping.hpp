// SPDX-License-Identifier: Apache-2.0
// The step of an optimizer: all its parameters together.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <situ/autograd/gradients.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/call_count.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/reserved_list.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/update_several.hpp>
#include <situ/plan/update.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::optim::detail {

/// The learning rate of a step: a number, or a tensor of one that the step reads when it runs.
template <Device D>
struct StepRate {
  internal::program::Rate rate{};
  const Tensor<double, D>* held = nullptr;
};

/// Addresses of variables. Not a template, so that programs compile it once.
class Listed {
 public:
  /// Whether it was not listed before.
  bool is_new(const void* variable) {
    const auto at = std::lower_bound(all_.begin(), all_.end(), variable, std::less<>());
    if (at != all_.end() && *at == variable) return false;
    all_.insert(at, variable);
    return true;
  }

 private:
  std::vector<const void*> all_;  // sorted
};

/// Parameters that are about to make a step, which they make all together. The node that each will have is made before
/// anything changes: what fails before the launch leaves all as it was.
template <FloatingElement T, Device D>
class Stepping {
 public:
  using state_type = Tensor<compute_t<T>, D>;

  explicit Stepping(std::size_t most) : all_(most) {}

  /// A parameter with the number `at`. A variable that is listed twice, `std::tie(w, w)`, makes one step.
  void add(Variable<T, D>& parameter, std::size_t at) {
    if (listed_.is_new(&parameter)) all_.add(&parameter, parameter.successor_node(), at);
  }

  /// Changes them and the first of their `states`. `steps` are those of all parameters, to which a graph adds `added`.
  template <class Settings, std::size_t States>
  void make(const Settings& settings, const StepRate<D>& rate, const Gradients& gradients, std::int64_t* steps,
            internal::AddedByCalls added, std::array<std::vector<state_type>, States>& states) {
    change(settings, rate, gradients, steps, added, states,
           std::make_index_sequence<internal::program::step_t<Settings>::states>{});
    for (One& one : all_) {
      ++steps[one.at];
      one.parameter->continue_as(std::move(one.node));
    }
  }

 private:
  struct One {
    Variable<T, D>* parameter;
    autograd::NodePointer node;
    std::size_t at;
  };
  template <std::size_t>
  struct StateElement {
    using type = compute_t<T>;
  };

  template <class Settings, std::size_t States, std::size_t... Kind>
  void change(const Settings& settings, const StepRate<D>& rate, const Gradients& gradients, const std::int64_t* steps,
              internal::AddedByCalls added, [[maybe_unused]] std::array<std::vector<state_type>, States>& states,
              std::index_sequence<Kind...>) {
    internal::ReservedList<internal::UpdatedSet<T, D, T, typename StateElement<Kind>::type...>> sets(all_.size());
    for (const One& one : all_) {
      const Tensor<T, D>& gradient = gradients[*one.parameter];
      if (gradient.size() == 0) continue;
      sets.add(steps[one.at] + 1, added == nullptr ? nullptr : added + one.at, gradient,
               one.parameter->value_to_change(), states[Kind][one.at]...);
    }
    internal::update_several(settings, rate.rate, rate.held, sets);
  }

  internal::ReservedList<One> all_;
  Listed listed_;
};

}  // namespace situ::optim::detail

// SPDX-License-Identifier: Apache-2.0
// The parameters of a module as a list, for modules whose parameters all have one type.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include <situ/autograd/variable.hpp>
#include <situ/nn/members.hpp>
#include <situ/nn/module.hpp>

namespace situ::nn {

/// Pointers to the parameters of a module, in the order of `for_each_parameter`; they must all have one type. They
/// point into the module.
///
///     for (auto* parameter : nn::parameters(net)) {
///       parameter->update([&](auto& value) { value -= 0.1f * gradients[*parameter]; });
///     }
template <class M>
  requires(!std::is_void_v<parameter_t<M>>)
[[nodiscard]] auto parameters(M& module) {
  using Parameter = std::conditional_t<std::is_const_v<M>, const parameter_t<M>, parameter_t<M>>;
  std::vector<Parameter*> list;
  for_each_parameter(module, [&list](const std::string&, auto& parameter) {
    static_assert(std::same_as<std::remove_cvref_t<decltype(parameter)>, parameter_t<M>>,
                  "the parameters of this module have several types: use for_each_parameter");
    list.push_back(&parameter);
  });
  return list;
}

}  // namespace situ::nn

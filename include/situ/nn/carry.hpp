// SPDX-License-Identifier: Apache-2.0
// Modules that are trained inside a CUDA graph (situ/graph.hpp).
#pragma once

#include <string>
#include <utility>

#include <situ/autograd/variable.hpp>
#include <situ/graph/carried.hpp>
#include <situ/nn/members.hpp>
#include <situ/nn/module.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace nn::detail {

struct VisitEntries {
  template <class M, class F>
  static void each(const M& module, F&& f) {
    for_each_entry(module, [&](const std::string&, const auto& entry) {
      if constexpr (VariableType<decltype(entry)>) f(entry.value());
      else f(entry);
    });
  }
  /// A variable remains the same variable.
  template <class M, class F>
  static void change(M& module, F&& f) {
    for_each_entry(module, [&]<class X>(const std::string&, X& entry) {
      if constexpr (VariableType<X>) entry = X(f(entry.value()), entry.node());
      else entry = f(std::as_const(entry));
    });
  }
};

}  // namespace nn::detail

/// For `capture`: a module that the captured function changes, as a layer with running statistics changes in training.
/// The graph has a copy of it, and carries all its parameters and buffers from one call to the next; `graph.carried()`
/// is the module as the last call left it.
///
///     auto step = capture<Cuda<0>>([](auto& net, const auto& x) { return net(x).value(); }, carry(net), x);
template <class M>
  requires(nn::detail::holds_entries<M> && !TensorType<M>)
[[nodiscard]] internal::Carried<M, nn::detail::VisitEntries> carry(M module) {
  return {std::move(module)};
}

}  // namespace situ

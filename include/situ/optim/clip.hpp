// SPDX-License-Identifier: Apache-2.0
// Gradient clipping. Nothing waits: on a GPU the norm and the factor stay there.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include <situ/autograd/gradients.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/expression/compound_assignment.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/as_elements.hpp>
#include <situ/ops/binary.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/unary.hpp>
#include <situ/optim/parameters.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::optim {

namespace detail {

/// Calls `f(gradient)` for each gradient of the parameters of a module.
template <class G, class M, class F>
void for_each_gradient(G& gradients, const M& net, F&& f) {
  walk_parameters(net, [&](const std::string&, const auto& parameter) {
    using V = std::remove_cvref_t<decltype(parameter)>;
    static_assert(std::same_as<typename V::device_type, typename parameter_t<M>::device_type>,
                  "gradients on several devices have no common norm without a transfer: clip those of each part of the "
                  "module separately");
    if (gradients.contains(parameter)) f(gradients[parameter]);
  });
}

/// The element type in which norms are computed.
template <class M>
using norm_t = compute_t<typename parameter_t<M>::value_type>;

}  // namespace detail

/// The norm of the gradients of all parameters of a module as if they were one vector, of rank 0 on their device. 0 if
/// there are none.
template <HasParameters M>
[[nodiscard]] Tensor<detail::norm_t<M>, typename detail::parameter_t<M>::device_type> norm(const Gradients& gradients,
                                                                                           const M& net) {
  using W = detail::norm_t<M>;
  using D = typename detail::parameter_t<M>::device_type;
  Tensor<W, D> squares = zeros<W>({}, D{});
  detail::for_each_gradient(gradients, net,
                            [&](const auto& gradient) { squares += sum(square(internal::as_elements<W>(gradient))); });
  return sqrt(squares);
}

/// Multiplies the gradients of all parameters of a module by min(1, most / (norm + 1e-6)), so that their common norm is
/// at most `most`, as torch.nn.utils.clip_grad_norm_. Returns the previous norm, on their device; if it is not finite,
/// neither are the gradients afterwards. Throws `ValueError` for a negative `most`.
///
///     Gradients gradients = backward(loss);
///     log.append(optim::clip_by_norm(gradients, net, 1.0));
///     optimizer.step(net, gradients);
template <HasParameters M>
Tensor<detail::norm_t<M>, typename detail::parameter_t<M>::device_type> clip_by_norm(Gradients& gradients, const M& net,
                                                                                     double most) {
  using W = detail::norm_t<M>;
  using D = typename detail::parameter_t<M>::device_type;
  if (!(most >= 0))
    throw ValueError("clip_by_norm: the largest norm is " + std::to_string(most) + "; it must be 0 or more");
  const Tensor<W, D> whole = norm(gradients, net);
  const Tensor<W, D> factor = minimum(W(most) / (whole + W(1e-6)), W(1));
  detail::for_each_gradient(gradients, net, [&]<class T>(Tensor<T, D>& gradient) {
    if constexpr (std::same_as<T, W>) gradient *= factor;
    else gradient = cast<T>(cast<W>(gradient) * factor);
  });
  return whole;
}

/// Clamps each element of the gradients of a module to [-most, most], as torch.nn.utils.clip_grad_value_. Throws
/// `ValueError` for a negative `most`.
template <HasParameters M>
void clip_by_value(Gradients& gradients, const M& net, double most) {
  if (!(most >= 0))
    throw ValueError("clip_by_value: the largest value is " + std::to_string(most) + "; it must be 0 or more");
  detail::for_each_gradient(gradients, net, [&](auto& gradient) { gradient = clamp(gradient, -most, most); });
}

}  // namespace situ::optim

// SPDX-License-Identifier: Apache-2.0
// A cast that does nothing if the type already matches: 16-bit floats are computed in `float`, others unchanged.
#pragma once

#include <concepts>
#include <utility>

#include <situ/expression/concept.hpp>
#include <situ/ops/select.hpp>

namespace situ::internal {

/// `cast<T>(x)`, or `x` itself if it has elements `T`. (A cast that changes nothing makes another expression, and every
/// kernel for it is compiled again.)
template <Element T, TensorLike X>
[[nodiscard]] decltype(auto) as_elements(X&& x) {
  if constexpr (std::same_as<value_type_t<X>, T>) return static_cast<X>(std::forward<X>(x));
  else return cast<T>(std::forward<X>(x));
}

}  // namespace situ::internal

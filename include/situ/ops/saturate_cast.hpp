// SPDX-License-Identifier: Apache-2.0
// A saturating cast to 8-bit floats.
#pragma once

#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/float8.hpp>
#include <situ/expression/concept.hpp>
#include <situ/ops/select.hpp>

namespace situ {

/// `x` as 8-bit floats, rounded to nearest even, where larger magnitudes, also infinities, become the largest one; NaN
/// stays NaN. `cast` gives an infinity instead, or NaN if the format has none.
///
///     Tensor stored = eval(saturate_cast<float8_e4m3fn>(x));   // |stored| <= 448
///     Tensor y = eval(cast<float>(stored));
template <StorageElement To, class X>
  requires FloatingTensor<std::remove_cvref_t<X>>
[[nodiscard]] auto saturate_cast(X&& x) {
  return cast<To>(clamp(std::forward<X>(x), -To::largest, To::largest));
}

}  // namespace situ

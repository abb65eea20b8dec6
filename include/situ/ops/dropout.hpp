// SPDX-License-Identifier: Apache-2.0
// `dropout` as a function; the layer is in nn/dropout.hpp.
#pragma once

#include <concepts>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/number_text.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/random.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>

namespace situ {

namespace internal {

inline void require_probability(double p, const char* name) {
  if (p >= 0 && p <= 1) return;
  throw ValueError(std::string(name) + ": the probability " + internal::number_text(p) + " is not in [0, 1]");
}

/// `x`, a tensor or a variable, with the elements dropped where `keep` is false.
template <class Keep, class X>
[[nodiscard]] X kept(const Keep& keep, const X& x, double p) {
  return where(keep, x * (p < 1 ? 1 / (1 - p) : 0.0), value_type_t<X>(0));
}
/// The same, dropped at random.
template <class X, class... G>
[[nodiscard]] X dropped(const X& x, double p, G&... generator) {
  require_probability(p, "dropout");
  if (p == 0) return x;
  return kept(bernoulli<bool>(1 - p, x.shape(), device_t<X>{}, generator...), x, p);
}

}  // namespace internal

/// Each element becomes 0 with probability `p`, and the others are divided by the probability of being kept; if
/// `training` is false, returns `x`. A generator may be the last argument. Throws `ValueError` for a probability
/// outside [0, 1].
///
///     Tensor y = dropout(x, 0.1, generator);
///     Variable h = dropout(relu(v), 0.5, training);
template <FloatingTensor X, class... G>
  requires internal::DrawnFromIfAny<G...>
[[nodiscard]] applied_t<X> dropout(const X& x, double p = 0.5, G&&... generator) {
  return internal::dropped(eval(x), p, generator...);
}
/// A guard against `dropout(x, training)`, which would drop everything.
template <FloatingTensor X, std::same_as<bool> Training,
          class Fix = dropout_takes_a_probability::fix_write_it_before_training, class... G>
internal::tensor_of_t<X> dropout(const X&, Training, G&&...) = delete;
/// Returns `x` unless `training`.
template <FloatingTensor X, std::same_as<bool> Training, class... G>
  requires internal::DrawnFromIfAny<G...>
[[nodiscard]] applied_t<X> dropout(const X& x, double p, Training training, G&&... generator) {
  internal::require_probability(p, "dropout");
  return dropout(x, training ? p : 0, generator...);
}

}  // namespace situ

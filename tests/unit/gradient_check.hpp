// SPDX-License-Identifier: Apache-2.0
// Gradients compared with differences of values, in double.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd.hpp>

namespace gradient_check {

using situ::Shape;
using situ::Tensor;
using situ::Variable;

/// Numbers of [low, high) that no pattern lies in; the same each time.
inline Tensor<double> numbers(const Shape& shape, double low = -1, double high = 1, std::uint64_t state = 7) {
  Tensor<double> x = situ::zeros<double>(shape);
  auto lease = x.write();
  for (std::int64_t i = 0; i < lease.size(); ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    lease.data()[i] = low + (high - low) * static_cast<double>(state >> 11) * 0x1p-53;
  }
  return x;
}

/// The elements of a tensor in row-major order.
inline std::vector<double> elements(const Tensor<double>& x) {
  std::vector<double> list;
  for (const double v : x) list.push_back(v);
  return list;
}

inline Tensor<double> with_element(const Tensor<double>& x, std::int64_t position, double value) {
  Tensor<double> changed = situ::contiguous(x);
  {
    auto lease = changed.write();
    lease.data()[position] = value;
  }
  return changed;
}

/// The sum of the elements of `y`, each times a number of its own: its gradient is those numbers.
template <class Y>
double weighted_sum(const Y& y, const Tensor<double>& weights) {
  const std::vector<double> values = elements(situ::eval(y));
  const std::vector<double> factors = elements(weights);
  double sum = 0;
  for (std::size_t i = 0; i != values.size(); ++i) sum += values[i] * factors[i];
  return sum;
}

/// The derivative of `f`, a function of one number, at `x`, from five of its values.
template <class F>
double derivative_of(F f, double x) {
  const double h = 1e-3 * (std::abs(x) > 1 ? std::abs(x) : 1.0);
  const double near = f(x + h) - f(x - h);
  const double far = f(x + 2 * h) - f(x - 2 * h);
  return (8 * near - far) / (12 * h);
}

/// Checks the gradients of `f(x...)`, a generic function of tensors or variables of `double`, by each of its operands,
/// and that its value is the same whichever it is given.
template <class F, class... X>
void check(F f, const X&... x) {
  const std::array<Tensor<double>, sizeof...(X)> inputs{x...};
  const auto apply = [&f]<std::size_t... At>(const auto& operands, std::index_sequence<At...>) {
    return situ::eval(f(operands[At]...));
  };
  constexpr auto indices = std::index_sequence_for<X...>{};
  const Tensor<double> value = apply(inputs, indices);
  const Tensor<double> weights = numbers(value.shape(), 0.5, 1.5, 11);
  const std::array<Variable<double>, sizeof...(X)> variables{Variable<double>(x)...};
  const Variable<double> recorded = apply(variables, indices);
  REQUIRE(recorded.shape() == value.shape());
  {
    const std::vector<double> a = elements(value), b = elements(recorded.value());
    for (std::size_t i = 0; i != a.size(); ++i) CHECK(a[i] == b[i]);
  }
  const situ::Gradients gradients = situ::backward(recorded, weights);
  // An operation keeps what the gradients that are wanted read, which may be less for one than for all.
  const auto alone = [&](std::size_t which) {
    std::array<Variable<double>, sizeof...(X)> operands{situ::constant(x)...};
    operands[which] = variables[which];
    return situ::backward(apply(operands, indices), weights);
  };
  for (std::size_t which = 0; which != inputs.size(); ++which) {
    CAPTURE(which);
    // no gradient means that the value does not depend on the operand: then the differences are 0
    const Tensor<double> gradient = gradients.contains(variables[which]) ? gradients[variables[which]]
                                                                         : situ::zeros<double>(inputs[which].shape());
    REQUIRE(gradient.shape() == inputs[which].shape());
    const std::vector<double> found = elements(gradient);
    const std::vector<double> at = elements(inputs[which]);
    if (sizeof...(X) > 1 && gradients.contains(variables[which])) {
      const std::vector<double> without_the_others = elements(alone(which)[variables[which]]);
      REQUIRE(without_the_others.size() == found.size());
      for (std::size_t i = 0; i != found.size(); ++i) {
        CHECK(without_the_others[i] == doctest::Approx(found[i]).epsilon(1e-12));  // sums may be made in another order
      }
    }
    for (std::size_t i = 0; i != at.size(); ++i) {
      const double expected = derivative_of(
          [&](double v) {
            auto moved = inputs;
            moved[which] = with_element(inputs[which], static_cast<std::int64_t>(i), v);
            return weighted_sum(apply(moved, indices), weights);
          },
          at[i]);
      CAPTURE(i);
      CHECK(found[i] == doctest::Approx(expected).epsilon(1e-7));
    }
  }
}

}  // namespace gradient_check

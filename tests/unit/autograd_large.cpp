// SPDX-License-Identifier: Apache-2.0
// Gradients of large operands, whose leaves are computed together: the same to the bit as those of small parts, for
// operands that lie in any way; and the kernel that computes several results, streamed and not.
// labels: gradients
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include <situ/autograd.hpp>

#include "gradient_check.hpp"

namespace {

using namespace situ;
using gradient_check::numbers;

constexpr std::int64_t rows = 260, columns = 517;  // neither is a whole number of lanes or tiles

/// Whether every element is the same.
bool same(const Tensor<double>& a, const Tensor<double>& b) { return all(a == b).item(); }

const auto function = [](const auto& x, const auto& y, const auto& z, const auto& row) {
  return tanh(x * y) / (exp(z) + 2) + x * row;
};

TEST_CASE("together and one by one give the same") {
  static_assert(rows * columns >= internal::cpu::detail::fewest_evaluated_together);
  static_assert(columns < internal::cpu::detail::fewest_evaluated_together);
  const Tensor<double> x = numbers({rows, columns}), y = transpose(numbers({columns, rows}, -1, 1, 5));
  const Tensor<double> z = flip(numbers({rows, columns}, -1, 1, 6), 1), row = numbers({columns}, -1, 1, 8);
  const Variable vx(x), vy(y), vz(z), vrow(row);
  const Tensor<double> weights = numbers({rows, columns}, 0.5, 1.5, 9);
  const Gradients gradients = backward(function(vx, vy, vz, vrow), weights);
  Tensor<double> sum_of_rows = zeros<double>({columns});
  for (std::int64_t i = 0; i < rows; ++i) {
    const Variable wx(x(i, all)), wy(y(i, all)), wz(z(i, all)), wrow(row);
    const Gradients part = backward(function(wx, wy, wz, wrow), weights(i, all));
    REQUIRE(same(gradients[vx](i, all), part[wx]));
    REQUIRE(same(gradients[vy](i, all), part[wy]));
    REQUIRE(same(gradients[vz](i, all), part[wz]));
    sum_of_rows += part[wrow];
  }
  CHECK(max(abs(sum_of_rows - gradients[vrow])).item() < 1e-11);
}

TEST_CASE("leaves without a gradient are left out") {
  const Tensor<double> x = numbers({rows, columns}), y = numbers({rows, columns}, -1, 1, 5);
  const Variable vx(x), vz(x);
  const Variable vy = constant(y);
  const Gradients gradients = backward(sum(function(vx, vy, vz, tensor(2.0))));
  CHECK(gradients.size() == 2);
  const Variable wx(x);
  CHECK(same(backward(sum(function(wx, y, x, tensor(2.0))))[wx], gradients[vx]));
}

TEST_CASE("the kernel of several results") {
  const Tensor<double> x = numbers({rows, columns}), y = transpose(numbers({columns, rows}));
  const auto first = x * y + 1;
  const auto second = sqrt(abs(x - y));
  using First = std::remove_const_t<decltype(first)>;
  using Second = std::remove_const_t<decltype(second)>;
  const auto [a, b] = internal::evaluated_each(std::optional<First>(first), std::optional<Second>(second));
  CHECK(same(a, eval(first)));
  CHECK(same(b, eval(second)));
  const auto [c, d] = internal::evaluated_each(std::optional<First>(), std::optional<Second>(second));
  CHECK(c.size() == 0);
  CHECK(same(d, eval(second)));
}

TEST_CASE("streamed results") {
  const Tensor<double> x = numbers({rows, columns}), y = transpose(numbers({columns, rows}));
  const auto expression = x * y + 1;
  const auto program = internal::lower(expression);
  const auto operands = internal::operands_of(expression, expression.shape());
  Tensor<double> plain = zeros<double>({rows, columns}), streamed = zeros<double>({rows, columns});
  {
    auto p = plain.write(), s = streamed.write();
    const auto evaluate_to = [&](double* out, std::int64_t least_streamed) {
      const Layout layout = Layout::row_major(expression.shape());
      const internal::program::Destination to{out, sizeof(double), layout.shape, layout.strides};
      const internal::cpu::detail::Part part{internal::cpu::kernel_of<double>(program), operands, &to};
      internal::cpu::detail::evaluate_together({&part, 1}, rows * columns, least_streamed);
    };
    evaluate_to(p.data(), std::numeric_limits<std::int64_t>::max());
    evaluate_to(s.data(), 0);
  }
  CHECK(same(plain, eval(expression)));
  CHECK(same(streamed, eval(expression)));
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Random expressions, made by templates from a seed: their gradients against differences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <situ/autograd.hpp>

#include "gradient_check.hpp"

namespace random_expression {

/// A number from a number, as unlike it as can be.
constexpr std::uint32_t mixed(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x21f0aaadU;
  x = (x ^ (x >> 15)) * 0x735a2d97U;
  return x ^ (x >> 15);
}
constexpr std::uint32_t child(std::uint32_t seed, std::uint32_t which) { return mixed(seed * 3 + which); }

/// An expression over four operands of different shapes. `Depth` functions lie one in another on the way to the first
/// leaf, less on the others. All of them are smooth, or have their corners where the operands are not, and are bounded
/// enough for differences.
template <std::uint32_t Seed, int Depth>
struct Expression {
  template <class V>
  static auto of(const V& full, const V& row, const V& column, const V& number) {
    using namespace situ;
    constexpr std::uint32_t choice = mixed(Seed) % 24;
    if constexpr (Depth == 0) {
      constexpr std::uint32_t leaf = mixed(Seed) % 4;
      if constexpr (leaf == 0) return full;
      else if constexpr (leaf == 1) return row;
      else if constexpr (leaf == 2) return column;
      else return number;
    } else {
      const auto a = Expression<child(Seed, 0), Depth - 1>::of(full, row, column, number);
      if constexpr (choice < 10) {
        constexpr int less = Depth > 2 ? static_cast<int>(child(Seed, 2) % 2) : Depth - 1;
        const auto b = Expression<child(Seed, 1), less>::of(full, row, column, number);
        if constexpr (choice == 0) return a + b;
        else if constexpr (choice == 1) return a - b;
        else if constexpr (choice == 2) return a * b;
        else if constexpr (choice == 3) return b * a + 0.5;
        else if constexpr (choice == 4) return a / (square(b) + 1);
        else if constexpr (choice == 5) return atan2(a, square(b) + 1);
        else if constexpr (choice == 6) return pow(sigmoid(a) + 0.5, b);
        else if constexpr (choice == 7) return hypot(a, b + 3);
        else if constexpr (choice == 8) return maximum(a, b + 4.5);
        else return where(b > -7.5, tanh(a), b);
      } else if constexpr (choice == 10) {
        return sin(a);
      } else if constexpr (choice == 11) {
        return cos(a);
      } else if constexpr (choice == 12) {
        return tanh(a);
      } else if constexpr (choice == 13) {
        return exp(-square(a));
      } else if constexpr (choice == 14) {
        return log1p(square(a));
      } else if constexpr (choice == 15) {
        return sqrt(square(a) + 0.25);
      } else if constexpr (choice == 16) {
        return softplus(a);
      } else if constexpr (choice == 17) {
        return gelu(a);
      } else if constexpr (choice == 18) {
        return silu(a);
      } else if constexpr (choice == 19) {
        return erf(a);
      } else if constexpr (choice == 20) {
        return asinh(a) - 1;
      } else if constexpr (choice == 21) {
        return -0.7 * a;
      } else if constexpr (choice == 22) {
        return rsqrt(square(a) + 2);
      } else {
        return atan(2 * a);
      }
    }
  }
};

template <std::uint32_t Seed>
void check_expression() {
  CAPTURE(Seed);
  // Deep ones take long to compile, and most of what they show shallow ones show too.
  constexpr int depths[] = {1, 2, 2, 3, 2, 3, 4, 2, 3, 5, 3, 6};
  constexpr int depth = depths[Seed % 12];
  using gradient_check::numbers;
  const auto f = [](const auto& full, const auto& row, const auto& column, const auto& number) {
    return Expression<mixed(Seed), depth>::of(full, row, column, number);
  };
  gradient_check::check(f, numbers({2, 3, 2}, -1, 1, Seed), numbers({2}, -1, 1, Seed + 1),
                        numbers({3, 1}, -1, 1, Seed + 2), numbers({}, 0.5, 1, Seed + 3));
}

/// Checks `Count` expressions from seed `First` on.
template <std::uint32_t First, std::uint32_t Count>
void check_expressions() {
  [&]<std::uint32_t... Next>(std::integer_sequence<std::uint32_t, Next...>) {
    (check_expression<First + Next>(), ...);
  }(std::make_integer_sequence<std::uint32_t, Count>{});
}

}  // namespace random_expression

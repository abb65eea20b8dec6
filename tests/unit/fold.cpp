// SPDX-License-Identifier: Apache-2.0
// The folds of reductions: on SIMD vectors what they are on scalars, identities, NaN, and moments of parts.
// labels: values
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <situ/cpu/lanes/lanes.hpp>
#include <situ/formula/fold.hpp>

namespace {

namespace fold = situ::internal::fold;
using situ::internal::cpu::Lanes;
using situ::internal::cpu::load;
using situ::internal::cpu::store;

constexpr int width = 16;
template <class T>
using Values = std::array<T, std::size_t{width}>;

template <class T>
Values<T> some_values(int seed) {
  Values<T> x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const int k = static_cast<int>(i * 7 + static_cast<std::size_t>(seed) * 5) % 23;
    x[i] = static_cast<T>(std::unsigned_integral<T> ? k % 2 : k - 11);
  }
  if constexpr (std::floating_point<T>) {
    x[3] = std::numeric_limits<T>::infinity();
    if (seed == 1) x[5] = std::numeric_limits<T>::quiet_NaN();
    if (seed == 2) x[5] = -std::numeric_limits<T>::infinity(), x[6] = std::numeric_limits<T>::quiet_NaN();
  }
  return x;
}

template <class T>
Values<T> elements(const Lanes<T, width>& lanes) {
  Values<T> x;
  store(x.data(), lanes);
  return x;
}

template <class T>
void check_same(T a, T b) {
  INFO(a, " and ", b);
  CHECK((a == b || (a != a && b != b)));
}

template <class F>
void check_fold() {
  using T = typename F::Value;
  using Block = typename F::Block;
  for (int seed = 0; seed < 3; ++seed) {
    const Values<T> x = some_values<T>(seed), y = some_values<T>(seed + 1);
    const Lanes<T, width> vx = load<T, width>(x.data()), vy = load<T, width>(y.data());
    const Lanes<Block, width> lifted = F::lift(vx);
    const Values<Block> single = elements(lifted);
    const Values<Block> both = elements(F::combine(lifted, Lanes<Block, width>(F::lift(vy))));
    const Values<Block> neutral = elements(F::combine(lifted, Lanes<Block, width>(F::lift(F::identity))));
    for (std::size_t i = 0; i < x.size(); ++i) {
      check_same<Block>(single[i], F::lift(x[i]));
      check_same<Block>(both[i], F::combine(Block{F::lift(x[i])}, Block{F::lift(y[i])}));
      check_same<Block>(neutral[i], F::lift(x[i]));
      if constexpr (requires { F::accumulate(Block{}, x[i]); }) {
        check_same<Block>(F::accumulate(Block{3}, x[i]), F::combine(Block{3}, F::lift(x[i])));
      }
      if constexpr (requires { F::combine_ordered(x[i], y[i]); }) {
        if (y[i] == y[i]) check_same<T>(F::combine_ordered(x[i], y[i]), F::combine(x[i], y[i]));
      }
      if constexpr (requires { F::improves(x[i], y[i]); }) {
        const Values<T> chosen = elements(select(F::improves(vx, vy), vx, vy));
        check_same<T>(chosen[i], F::improves(x[i], y[i]) ? x[i] : y[i]);
        check_same<T>(chosen[i], F::combine(y[i], x[i]));
      }
    }
  }
}

TEST_CASE("folds: on vectors as on scalars, and what changes nothing") {
  check_fold<fold::Sum<float>>();
  check_fold<fold::Sum<double>>();
  check_fold<fold::Sum<std::uint8_t>>();
  check_fold<fold::Sum<std::int32_t>>();
  check_fold<fold::Sum<std::int64_t>>();
  check_fold<fold::SumOfSquares<float>>();
  check_fold<fold::SumOfSquares<double>>();
  check_fold<fold::Prod<float>>();
  check_fold<fold::Prod<std::int32_t>>();
  check_fold<fold::Min<float>>();
  check_fold<fold::Max<float>>();
  check_fold<fold::Min<double>>();
  check_fold<fold::Max<std::uint8_t>>();
  check_fold<fold::Min<std::int32_t>>();
  check_fold<fold::Max<std::int64_t>>();
  check_fold<fold::Any<std::uint8_t>>();
  check_fold<fold::All<std::uint8_t>>();
}

TEST_CASE("folds: in constant expressions") {
  static_assert(fold::Sum<float>::combine(1.5f, 2.0f) == 3.5f);
  static_assert(fold::SumOfSquares<float>::lift(1e30f) == static_cast<double>(1e30f) * static_cast<double>(1e30f));
  static_assert(fold::Max<int>::combine(fold::Max<int>::identity, -7) == -7);
  static_assert(fold::Min<float>::combine(3.0f, fold::Min<float>::identity) == 3.0f);
  static_assert(fold::Sum<std::int64_t>::combine(std::numeric_limits<std::int64_t>::max(), std::int64_t{1}) ==
                std::numeric_limits<std::int64_t>::min());
  static_assert(!fold::Max<float>::improves(2.0f, 2.0f));  // the first of equal elements stays
}

TEST_CASE("folds: moments of parts are those of the whole") {
  using Moments = fold::Moments<double>;
  const auto moments_of = [](const double* x, int count) {
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
      const double distance = x[i] - x[0];
      sum += distance;
      squares += distance * distance;
    }
    return Moments::from_shifted(count, x[0], sum, squares);
  };
  const std::array<double, 8> x{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16, 1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
  Moments whole = moments_of(x.data(), 3);
  whole.merge(moments_of(x.data() + 3, 5));
  CHECK(whole.count == 8);
  CHECK(whole.mean == doctest::Approx(1e9 + 10).epsilon(1e-15));
  CHECK(whole.squares == doctest::Approx(180).epsilon(1e-6));
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// `NumberCheck` on a device: what it says of each kind of operation, and what it lets pass. In a build without SITU_CHECKED
// it lets all pass.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <string>

#include <situ/autograd.hpp>
#include <situ/complex.hpp>
#include <situ/core/call_site.hpp>
#include <situ/situ.hpp>

namespace number_check {

using situ::NumberCheck;
using situ::Tensor;
using situ::Variable;

/// What `f` throws under a check; "" for nothing, as it must be where nothing is looked at.
template <class F>
[[nodiscard]] std::string said(const F& f, const situ::NumberCheckOptions& options = {}) {
  const NumberCheck check(options);
  try {
    f();
  } catch (const situ::FloatingPointError& error) {
    return error.what();
  }
  return {};
}
/// Without the statement, of which the place is a matter of its own.
inline void expect(std::string said, const std::string& expected) {
  const std::string before = ", evaluated at number_check.hpp:";
  if (const auto begin = said.find(before); begin != said.npos)
    said.erase(begin, said.find_first_not_of("0123456789", begin + before.size()) - begin);
  if (NumberCheck::looks) CHECK(said == "NumberCheck: " + expected);
  else CHECK(said.empty());
}
/// "... on cpu, evaluated at number_check.hpp:33"; with 0 no place.
inline void expect_line(const std::string& said, int line) {
  const auto begin = said.find(", evaluated at ");
  const bool has_place = NumberCheck::looks && line != 0;
  CHECK(said.empty() == !NumberCheck::looks);
  CHECK((begin == said.npos ? "" : said.substr(begin)) ==
        (has_place ? ", evaluated at number_check.hpp:" + std::to_string(line) : ""));
}

struct Reciprocal {
  constexpr float operator()(float v) const { return 1 / v; }
};

template <class D>
void finds_the_first(D device) {
  const std::string on = ", on " + situ::device_name(device);
  const auto numbers = [&] { return situ::tensor({{1.f, -1.5f, 0.f}, {2.f, 3.f, 4.f}}).to(device); };

  SUBCASE("in the middle of an expression") {
    const Tensor x = numbers();
    expect(said([&] { const Tensor y = log(x) * 2.f + x; }), "log(-1.5) is nan, at (0, 1) of shape (2, 3)" + on);
    const Tensor z = situ::tensor({{1.f, 1.f, -1.f}, {1.f, 1.f, 1.f}}).to(device);
    expect(said([&] { const Tensor y = where(x > 0.f, log(x), 0.f) + sqrt(z); }),
           "sqrt(-1) is nan, at (0, 2) of shape (2, 3)" + on);
    expect(said([&] { const Tensor y = x(0, situ::all) / x(0, situ::all); }),
           "divide(0, 0) is nan, at (2,) of shape (3,)" + on);
    {
      const situ::NamedScope outer("step");
      const situ::NamedScope inner("forward");
      expect(said([&] { const Tensor y = log(x); }), "log(-1.5) is nan, at (0, 1) of shape (2, 3)" + on + ", in step/forward");
    }
    expect(said([&] { const Tensor y = situ::map(Reciprocal(), x); }, {.infinity = true}),
           "the functor of map(0) is infinite, at (0, 2) of shape (2, 3)" + on);
  }
  SUBCASE("where it is written in place") {
    Tensor x = numbers();
    expect(said([&] { x = sqrt(x); }), "sqrt(-1.5) is nan, at (0, 1) of shape (2, 3)" + on);
    Tensor y = numbers();
    expect(said([&] { y.at(0, situ::all) = sqrt(y(0, situ::all)); }), "sqrt(-1.5) is nan, at (1,) of shape (3,)" + on);
    // The other rows have NaN, which this does not make.
    CHECK(said([&] { y.at(1, situ::all) = sqrt(y(1, situ::all)); }).empty());
  }
  SUBCASE("inside a reduction, and made by one") {
    const Tensor x = numbers();
    expect(said([&] { const Tensor y = sum(log(x)); }), "log(-1.5) is nan, at (0, 1) of shape (2, 3)" + on);
    const Tensor none = situ::zeros<float>({0}, device);
    CHECK(said([&] { const Tensor y = situ::sum(none); }).empty());
    const std::string of_none = said([&] { const Tensor y = mean(none); });
    if (NumberCheck::looks) CHECK(of_none.find("mean gives ") != of_none.npos);
  }
  SUBCASE("infinities, when they are asked for") {
    const Tensor x = numbers();
    const auto divides = [&] { const Tensor y = 1.f / x; };
    CHECK(said(divides).empty());
    expect(said(divides, {.infinity = true}), "divide(1, 0) is infinite, at (0, 2) of shape (2, 3)" + on);
    const Tensor large = situ::full<float>({2, 2}, 1e30f, device);
    expect(said([&] { const Tensor y = matmul(large, large); }, {.infinity = true}),
           "Matmul gives inf where no operand is" + on);
    const Tensor half = cast<situ::float16>(situ::full<float>({2}, 60000.f, device));
    expect(said([&] { const Tensor y = half * 2.f; }, {.infinity = true}),
           "multiply(60000, 2) is infinite, at (0,) of shape (2,)" + on);
  }
  SUBCASE("at the statement that evaluates, where it is a call") {
    const Tensor x = numbers();
    const Variable v(numbers());
    expect_line(said([&] { const Tensor y = log(x) + 1.f; }), __LINE__);
    expect_line(said([&] { const Variable y = log(v) + 1.f; }), __LINE__);
    expect_line(said([&] { const Variable y(log(x)); }), __LINE__);
    expect_line(said([&] { static_cast<void>(eval(log(x))); }), __LINE__);
    expect_line(said([&] { static_cast<void>(eval(log(v))); }), __LINE__);
    const auto taken = [](const Tensor<float, D>&) {};
    expect_line(said([&] { taken(log(x)); }), __LINE__);
    Tensor z = x;
    expect_line(said([&] { z = log(x); }), 0);
    expect_line(said([&] { static_cast<void>(sum(log(x))); }), 0);
  }
  SUBCASE("where sums are scattered") {
    const Tensor large = situ::full<float>({2}, 3e38f, device);
    const auto index = situ::zeros<std::int64_t>({2}, device);
    expect(said([&] { static_cast<void>(scatter_add(situ::zeros<float>({2}, device), 0, index, large)); },
                {.infinity = true}),
           "Scatter gives inf where no operand is" + on);
    const Tensor bad = log(numbers()(0, situ::all));
    CHECK(said([&] { static_cast<void>(scatter_add(bad, 0, situ::zeros<std::int64_t>({1}, device), bad(situ::range(0, 1)))); })
              .empty());
  }
  SUBCASE("in a gradient") {
    const Variable x(situ::tensor({1.f, 0.f}).to(device));
    expect(said([&] { static_cast<void>(backward(sum(sqrt(x)))); }, {.infinity = true}),
           "the gradient of sqrt(x0) at (1, 0) is infinite, at (1,) of shape (2,)" + on);
    // Of two leaves, whose gradients are computed together; and of one of them, while the other records nothing.
    const Variable y(situ::tensor({3.f, 5.f}).to(device));
    const std::string of_product = "the gradient of multiply(sqrt(x0), x1) at (1, 0, 5) is infinite, at (1,) of shape (2,)" + on;
    expect(said([&] { static_cast<void>(backward(sum(sqrt(x) * y))); }, {.infinity = true}), of_product);
    expect(said([&] { static_cast<void>(backward(sum(sqrt(x) * constant(y)))); }, {.infinity = true}), of_product);
  }
}

template <class D>
void lets_pass(D device) {
  const Tensor x = situ::tensor({1.f, -1.f, 0.f}).to(device);
  // What is computed and not used.
  CHECK(said([&] { const Tensor y = where(x > 0.f, log(x), 0.f); }).empty());
  Tensor kept = situ::tensor({{std::nanf(""), 1.f, 2.f}, {3.f, 4.f, 5.f}}).to(device);
  CHECK(said([&] { kept.at(1, situ::all) = where(x > 0.f, log(x), 0.f); }).empty());
  // What was there before.
  const Tensor bad = log(x);
  CHECK(said([&] { const Tensor y = bad + 1.f; }).empty());
  CHECK(said([&] { const Tensor y = sum(bad); }).empty());
  // A scalar that the program wrote, also in the places that a selection leaves.
  CHECK(said([&] { static_cast<void>(situ::full({2}, std::nanf(""), device)); }).empty());
  CHECK(said([&] { kept.at(0, situ::all) = std::nanf(""); }).empty());
  CHECK(said([&] { static_cast<void>(masked_select(x, x > 0.f, {.size = 3, .fill = std::nanf("")})); }).empty());
  // A check ends with its scope, also one inside another.
  {
    const NumberCheck outer({.infinity = true});
    { const NumberCheck inner; }
    if (NumberCheck::looks) CHECK_THROWS_AS(static_cast<void>(eval(1.f / x)), situ::FloatingPointError);
  }
  CHECK_NOTHROW(static_cast<void>(eval(log(x))));
}

struct Halved {
  std::complex<float> operator()(std::complex<float> z) const { return z / std::complex<float>(z.imag() * 2); }
};

inline void of_complex_elements() {
  using situ::abs;
  const Tensor z = situ::make_complex(situ::tensor({1.f, 0.f}), situ::tensor({-2.f, 0.f}));
  const std::string at = " is nan, at (1,) of shape (2,), on cpu";
  expect(said([&] { const Tensor y = abs(z / z * 2.f) + 1.f; }), "divide(0+0j, 0+0j)" + at);
  expect(said([&] { const Tensor y = log(real(conj(z) * z) - 1.f); }), "log(-1)" + at);
  expect(said([&] { const Tensor y = conj(situ::map(Halved(), z)); }), "the functor of map(0+0j)" + at);
  CHECK(said([&] { const Tensor y = where(abs(z) > 0.f, z / z, z); }).empty());
  const Tensor huge = situ::make_complex(situ::tensor({3e38f}), situ::tensor({-1.f}));
  expect(said([&] { const Tensor y = huge * 2.f + 1.f; }, {.infinity = true}),
         "multiply(3e+38-1j, 2+0j) is infinite, at (0,) of shape (1,), on cpu");
}

}  // namespace number_check

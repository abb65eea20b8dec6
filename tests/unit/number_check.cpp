// SPDX-License-Identifier: Apache-2.0
// `NumberCheck` on the host; tests/cuda/number_check.cpp asks the same of a GPU.
#include "../number_check.hpp"

#include <situ/linalg/determinant.hpp>

using situ::Tensor;

TEST_CASE("a number check names the call that made the first NaN") {
  SUBCASE("cpu") { number_check::finds_the_first(situ::cpu); }
  SUBCASE("pinned") { number_check::finds_the_first(situ::pinned); }
}
TEST_CASE("a number check lets pass what makes no NaN") { number_check::lets_pass(situ::cpu); }

TEST_CASE("linear algebra is looked at") {
  const Tensor large = situ::eye<float>(2) * 1e30f;
  number_check::expect(number_check::said([&] { static_cast<void>(det(large)); }, {.infinity = true}),
                       "Determinant gives inf where no operand is, on cpu");
  CHECK(number_check::said([&] { static_cast<void>(det(situ::eye<float>(2))); }).empty());
}

TEST_CASE("calls of complex elements are computed again as such, and named") { number_check::of_complex_elements(); }

TEST_CASE("the example of the guide") {
  const auto example = [] {
    using namespace situ;
    // [guide]
    NumberCheck check;
    Tensor x = tensor({{1.f, -1.5f}, {2.f, 3.f}});
    Tensor y = log(x) * 2.f + 1.f;
    // [guide-end]
  };
  if (situ::NumberCheck::looks)
    CHECK_THROWS_WITH(example(), doctest::Contains("NumberCheck: log(-1.5) is nan, at (0, 1) of shape (2, 2), on cpu, "
                                                   "evaluated at number_check.cpp:"));
  else CHECK_NOTHROW(example());
}

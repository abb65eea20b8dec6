// SPDX-License-Identifier: Apache-2.0
// `NumberCheck` on a GPU: tests/number_check.hpp, and graphs.
#include <situ/graph.hpp>

#include "../number_check.hpp"

TEST_CASE("a number check names the call on a GPU that made the first NaN") {
  number_check::finds_the_first(situ::gpu<0>);
}
TEST_CASE("a number check lets pass on a GPU what makes no NaN, and what goes into a graph") {
  number_check::lets_pass(situ::gpu<0>);
  const situ::Tensor x = situ::tensor({1.f, -1.f}).to(situ::gpu<0>);
  const situ::NumberCheck check;
  auto graph = situ::capture<situ::Cuda<0>>([](const auto& values) { return eval(log(values)); }, x);
  CHECK_NOTHROW(static_cast<void>(graph(x)));
}

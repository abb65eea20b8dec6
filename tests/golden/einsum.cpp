// SPDX-License-Identifier: Apache-2.0
// Every case of einsum/cases.txt: random subscripts, and what NumPy gives for them.
#include "golden.hpp"

#include <cstddef>
#include <iterator>

#include "einsum/forms.hpp"

TEST_CASE("einsum gives what NumPy gives") {
  const std::vector<golden::Case> cases = golden::read_cases("einsum/cases.txt");
  REQUIRE(cases.size() >= 200);
  REQUIRE(cases.size() == std::size(golden::einsum_forms));
  for (const golden::Case& c : cases) {
    CAPTURE(c.name);
    std::vector<situ::Tensor<double, situ::Cpu>> operands;
    for (const golden::Array& input : c.inputs) operands.push_back(golden::operand<double, situ::Cpu>(input));
    golden::expect(c, golden::einsum_forms[static_cast<std::size_t>(c.arg(0))](operands));
  }
}

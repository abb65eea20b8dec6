// SPDX-License-Identifier: Apache-2.0
// Every case of einsum/cases.txt: random subscripts, and what NumPy gives for them.
#include "golden.hpp"

#include <cstddef>
#include <iterator>

#include "einsum/forms.hpp"

#if defined(SITU_CUDA)
TEST_CASE_TEMPLATE("einsum gives what NumPy gives", D, situ::Cuda<0>) {
#else
TEST_CASE_TEMPLATE("einsum gives what NumPy gives", D, situ::Cpu, situ::Pinned) {
#endif
  const std::vector<golden::Case> cases = golden::read_cases("einsum/cases.txt");
  REQUIRE(cases.size() >= 200);
  REQUIRE(cases.size() == std::size(golden::einsum_forms<D>));
  for (const golden::Case& c : cases) {
    CAPTURE(c.name);
    std::vector<situ::Tensor<double, D>> operands;
    for (const golden::Array& input : c.inputs) operands.push_back(golden::operand<double, D>(input));
    golden::expect(c, golden::einsum_forms<D>[static_cast<std::size_t>(c.arg(0))](operands));
  }
}

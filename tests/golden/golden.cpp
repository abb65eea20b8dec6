// SPDX-License-Identifier: Apache-2.0
// Every case of cases.txt on every host device, or, in a program with the CUDA backend, on a GPU.
#include "golden.hpp"

#if defined(SITU_CUDA)
TEST_CASE_TEMPLATE("situ gives what NumPy gives", D, situ::Cuda<0>) {
#else
TEST_CASE_TEMPLATE("situ gives what NumPy gives", D, situ::Cpu, situ::Pinned) {
#endif
  static const std::vector<golden::Case> cases = golden::read_cases("cases.txt");
  REQUIRE(cases.size() > 800);
  for (const golden::Case& c : cases) {
    CAPTURE(c.name);
    const bool known = golden::run_unary<D>(c) || golden::run_binary<D>(c) || golden::run_reduction<D>(c) ||
                       golden::run_structure<D>(c);
    CHECK_MESSAGE(known, "no group knows the operation ", c.op);
  }
}

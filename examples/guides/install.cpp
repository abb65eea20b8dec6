// SPDX-License-Identifier: Apache-2.0
// What an installation is tried with.
// [program]
#include <situ/situ.hpp>
#include <situ/version.hpp>

int main() {
  situ::Tensor x = situ::tensor({1.f, 2.f, 3.f});
  situ::print("situ", SITU_VERSION, "sum of squares", situ::sum(x * x).item());
  return situ::sum(x * x).item() == 14.f ? 0 : 1;
}
// [program-end]

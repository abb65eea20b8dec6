// SPDX-License-Identifier: Apache-2.0
// Finds the call that makes the first NaN. Compiled with SITU_CHECKED.
// [program]
#include <situ/situ.hpp>
using namespace situ;

int main() {
  NumberCheck check;  // looks in builds with SITU_CHECKED, and costs nothing in others
  Tensor x = tensor({{1.f, -1.5f}, {2.f, 3.f}});
  try {
    Tensor y = log(x) * 2.f + 1.f;  // throws: log(-1.5) is nan
  } catch (const FloatingPointError& error) {
    print(error.what());
    return 0;
  }
  return 1;
}
// [program-end]

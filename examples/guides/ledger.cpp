// SPDX-License-Identifier: Apache-2.0
// Which line moved which bytes.
// [program]
#include <situ/ledger.hpp>
#include <situ/situ.hpp>

#include <iostream>

using namespace situ;

int main() {
  if (!is_available<Cuda<0>>()) return 0;
  MovementLedger ledger;
  Tensor x = ones<float>({64, 64}).to(gpu<0>);  // 16 KiB to the GPU
  float total = 0;
  for (int i = 0; i < 3; ++i) total += sum(x).to(cpu).item();  // the host waits here, three times
  std::cout << ledger.report();
  return total == 3 * 64 * 64 && ledger.entries().size() == 2 ? 0 : 1;
}
// [program-end]

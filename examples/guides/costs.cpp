// SPDX-License-Identifier: Apache-2.0
// Counts the passes over memory of a few lines.
// [program]
#include <situ/situ.hpp>
using namespace situ;

int main() {
  Tensor x = rand<float>({256, 256}), y = rand<float>({256, 256});
  auto passes = [before = memory_stats<Cpu>().evaluations] { return memory_stats<Cpu>().evaluations - before; };

  Tensor r = exp(x) * y + 1;           // a Tensor: computed here
  print("one expression:", passes());  // 1
  auto e = exp(x);                     // an expression: computed at each use
  for (int i = 0; i < 3; ++i) r += e * y;
  print("and a loop:", passes());  // 4
  return passes() == 4 ? 0 : 1;
}
// [program-end]

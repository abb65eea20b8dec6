// SPDX-License-Identifier: Apache-2.0
// One value over two devices.
// [program]
#include <situ/distributed.hpp>
#include <situ/situ.hpp>
using namespace situ;

int main() {
  const Spread x = shard<0>(arange<float>(10), cpu, cpu);  // Sharded<0>: 0 to 4, and 5 to 9; or gpu<0>, gpu<1>
  const Spread terms = sum<0>(x);                          // Partial<>: 10, and 35
  // terms + 10.f;                                         // does not compile: each device would add 10
  const Spread total = all_reduce(terms) + 10.f;  // Replicated: 55 on both
  print(gather(total, cpu));
  return gather(total, cpu).item() == 55.f ? 0 : 1;
}
// [program-end]

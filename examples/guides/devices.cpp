// SPDX-License-Identifier: Apache-2.0
// Computes on the device that the command line names.
// [program]
#include <situ/situ.hpp>
using namespace situ;

int main(int argc, char** argv) {
  const auto device = parse_device<Cpu, Cuda<0>>(argc > 1 ? argv[1] : "cpu");  // or "cuda:0"
  // The lambda is compiled for both devices, and called with the one that was named.
  const float total = with_device(device, [](auto d) {
    Tensor x = linspace<float>(0, 1, 5, d);  // Tensor<float, Cpu> or Tensor<float, Cuda<0>>
    return sum(x).to(cpu).item();
  });
  print("sum:", total);
  return total == 2.5f ? 0 : 1;
}
// [program-end]

// SPDX-License-Identifier: Apache-2.0
// The program that README.md begins with.
// [program]
#include <situ/situ.hpp>
using namespace situ;

auto layer(const TensorLike auto& x, const TensorLike auto& w) {  // written once, for any device
  return eval(tanh(matmul(x, w)) * 0.5f + 1);  // tanh, * and + are one pass over memory
}

int main() {
  Tensor x = tensor({{0.1f, 0.2f}, {0.3f, 0.4f}});  // Tensor<float, Cpu>
  print(layer(x, x));

  // Tensor z = x + ones<float>({2, 2}, gpu<0>);  // does not compile: x is on the CPU

  with_device(try_gpu<0>(), [&](auto device) {  // GPU 0 if there is one, else the CPU
    Tensor w = ones<float>({2, 3}, device);
    print(layer(x.to(device), w));  // `to` is the only bridge
  });
}
// [program-end]

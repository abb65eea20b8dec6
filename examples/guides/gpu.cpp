// SPDX-License-Identifier: Apache-2.0
// A product on a GPU, real or emulated.
// [program]
#include <situ/situ.hpp>
using namespace situ;

int main() {
  if (!is_available<Cuda<0>>()) {
    print("no GPU");
    return 0;
  }
  Tensor x = randn<float>({64, 64}, gpu<0>, Generator(1));  // Tensor<float, Cuda<0>>
  Tensor y = tanh(matmul(x, x) * 0.1f);                     // two kernels are queued; the host goes on
  const float largest = max(abs(y)).to(cpu).item();         // `to` waits for them
  print("largest on", gpu<0>, largest);
  return largest > 0 && largest <= 1 ? 0 : 1;
}
// [program-end]

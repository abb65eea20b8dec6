// SPDX-License-Identifier: Apache-2.0
// A copy to a GPU while the host makes the next batch.
// [program]
#include <situ/situ.hpp>

#include <utility>

using namespace situ;

int main() {
  if (!is_available<Cuda<0>>()) return 0;
  Tensor weight = ones<float>({32, 4}, gpu<0>);
  Tensor batch = ones<float>({64, 32}, pinned);         // memory that a GPU can copy from by itself
  Pending moving = batch.to_async(gpu<0>);              // on its way; nothing can read it yet
  Tensor next = 2 * batch;                              // the host goes on
  Tensor y = matmul(std::move(moving).wait(), weight);  // the GPU waits for the copy, the host does not
  Tensor z = matmul(next.to(gpu<0>), weight);           // the simple way
  const float total = sum(y + z).to(cpu).item();        // here the host waits
  print(total);
  return total == 64 * 4 * 32 * 3 ? 0 : 1;
}
// [program-end]

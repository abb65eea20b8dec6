// SPDX-License-Identifier: Apache-2.0
// One function for tensors, expressions and views on any device.
// [program]
#include <situ/situ.hpp>
using namespace situ;

auto distance(const TensorLike auto& x, const TensorLike auto& y) {  // of each row of x from the rows of y
  return eval(sqrt(sum(square(x - y), -1)));
}

int main() {
  Tensor x = tensor({{0.f, 0.f}, {3.f, 4.f}});
  print(distance(x, x(0, all)));       // a tensor and a view
  print(distance(2 * x, mean(x, 0)));  // an expression and a tensor
  with_device(try_gpu<0>(), [&](auto device) { print(distance(x.to(device), ones({2}, device))); });
  return distance(x, x(0, all))(1) == 5.f ? 0 : 1;
}
// [program-end]

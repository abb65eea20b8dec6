// SPDX-License-Identifier: Apache-2.0
// A program that the host compiler compiles: it holds tensors of a GPU, moves them, and calls the layer of model.cu. Exits
// with 0 when the GPU gives what the CPU gives.
#include <cmath>
#include <cstdio>

#include "model.hpp"

using namespace situ;

namespace {

template <Device D>
float difference(const Layer<Cpu>& layer, const Tensor<float, Cpu>& x, D device) {
  const Layer<D> there = layer.to(device);
  const Tensor<float, D> y = there(x.to(device));
  const Tensor<float, Cpu> here = y.to(cpu);
  return max(abs(here - layer(x))).item();
}

}  // namespace

int main() {
  Generator generator(1);
  const Layer<Cpu> layer{randn<float>({4, 3}, generator), ones<float>({3})};
  const Tensor<float, Cpu> x = randn<float>({5, 4}, generator);
  return with_device(try_gpu<0>(), [&](auto device) {
    const float most = difference(layer, x, device);
    std::printf("on %s: largest difference from the CPU %g\n", device_name(device).c_str(), static_cast<double>(most));
    return most < 1e-5f ? 0 : 1;
  });
}

// SPDX-License-Identifier: Apache-2.0
// A batch on the CPU given to a layer on a GPU.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<0>)
#include <situ/nn.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& batch, const nn::Linear<float, Cuda<0>>& layer) {
  return layer(batch.to<Cuda<0>>());
}
#else
auto mistake(const Tensor<float, Cpu>& batch, const nn::Linear<float, Cuda<0>>& layer) {
  return layer(batch);
}
#endif

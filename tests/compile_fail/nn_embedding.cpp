// SPDX-License-Identifier: Apache-2.0
// Words on the CPU given to an embedding on a GPU.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<0>)
#include <situ/nn.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<std::int64_t, Cpu>& words, const nn::Embedding<float, Cuda<0>>& layer) {
  return layer(words.to<Cuda<0>>());
}
#else
auto mistake(const Tensor<std::int64_t, Cpu>& words, const nn::Embedding<float, Cuda<0>>& layer) {
  return layer(words);
}
#endif

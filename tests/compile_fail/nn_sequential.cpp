// SPDX-License-Identifier: Apache-2.0
// A batch on the CPU given to a network of five layers on a GPU.
// kind: a network on another device than its batch
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<0>)
#include <situ/nn.hpp>

using namespace situ;

using Dense = nn::Linear<float, Cuda<0>>;
using Net = nn::Sequential<nn::Flatten, Dense, nn::ReLU, Dense, nn::LogSoftmax>;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& batch, Net& net) { return net(batch.to<Cuda<0>>()); }
#else
auto mistake(const Tensor<float, Cpu>& batch, Net& net) { return net(batch); }
#endif

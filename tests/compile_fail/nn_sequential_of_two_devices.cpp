// SPDX-License-Identifier: Apache-2.0
// A network of which one layer was left on the CPU.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
// lines: 21
// lines[clang]: 25
#include <situ/nn.hpp>

using namespace situ;

template <Device D>
using Dense = nn::Linear<float, D>;
template <Device First, Device Second>
using Net = nn::Sequential<nn::Flatten, Dense<First>, nn::Tanh, Dense<Second>, nn::LogSoftmax>;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<1>>& batch, Net<Cuda<1>, Cuda<1>>& net) { return net(batch); }
#else
auto mistake(const Tensor<float, Cuda<1>>& batch, Net<Cuda<1>, Cpu>& net) { return net(batch); }
#endif

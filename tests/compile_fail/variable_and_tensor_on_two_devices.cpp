// SPDX-License-Identifier: Apache-2.0
// A variable meets a tensor of another device.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#include <situ/autograd.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Variable<float, Cuda<1>>& w) { return x + w.to<Cpu>(); }
#else
auto mistake(const Tensor<float, Cpu>& x, const Variable<float, Cuda<1>>& w) { return x + w; }
#endif

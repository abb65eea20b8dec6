// SPDX-License-Identifier: Apache-2.0
// A product of a tensor and a variable of another device.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#include <situ/autograd.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Variable<float, Cuda<1>>& w) { return matmul(x.to<Cuda<1>>(), w); }
#else
auto mistake(const Tensor<float, Cpu>& x, const Variable<float, Cuda<1>>& w) { return matmul(x, w); }
#endif

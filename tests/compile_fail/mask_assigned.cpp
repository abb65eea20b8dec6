// SPDX-License-Identifier: Apache-2.0
// x.at(mask) = w: w is elsewhere.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  x.at(x > 0) = w.to<Cpu>();
}
#else
void mistake(Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  x.at(x > 0) = w;
}
#endif

// SPDX-License-Identifier: Apache-2.0
// `Tensor z = x + w;`, the line of the README.
// kind: operands on two devices
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  Tensor z = x + w.to<Cpu>();
}
#else
void mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  Tensor z = x + w;
}
#endif

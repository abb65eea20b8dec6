// SPDX-License-Identifier: Apache-2.0
// `=`. The fix stands within the error.
// first: (?=.*\bCpu\b)(?=.*Cuda<1>)
// within: tensors_live_on_different_devices
// within: fix_call_dot_to
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  x = w.to<Cpu>();
}
#else
void mistake(Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  x = w;
}
#endif

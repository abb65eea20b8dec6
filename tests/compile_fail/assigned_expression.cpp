// SPDX-License-Identifier: Apache-2.0
// `=` of an expression. (clang leaves out a template argument that is the default, here Cpu.)
// kind: an expression given to a tensor of another device
// first: (?=.*\bCpu\b)(?=.*Cuda<1>)
// first[clang]: Cuda<1>.*Tensor<float
// within: tensors_live_on_different_devices
// within: fix_call_dot_to
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  x = (w * w).to(Cpu{});
}
#else
void mistake(Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  x = w * w;
}
#endif

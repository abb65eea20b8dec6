// SPDX-License-Identifier: Apache-2.0
// An argument of a graph on another device.
// first: (?=.*\bCpu\b)(?=.*Cuda<0>)
// within: tensors_live_on_different_devices
// within: fix_call_dot_to
#include <situ/graph.hpp>
#include <situ/situ.hpp>

using namespace situ;

using Step = Graph<Cuda<0>, Tensor<float, Cuda<0>>(Tensor<float, Cuda<0>>)>;

void mistake(const Step& step, const Tensor<float, Cpu>& x) {
#ifdef SITU_CONTROL
  auto y = step(x.to<Cuda<0>>());
#else
  auto y = step(x);
#endif
}

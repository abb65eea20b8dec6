// SPDX-License-Identifier: Apache-2.0
// A captured function that returns a tensor of another device.
// first: (?=.*a_captured_function_returns_tensors_of)(?=.*fix_return_tensors_of)(?=.*\bCpu\b)(?=.*Cuda<0>)
#include <situ/graph.hpp>
#include <situ/situ.hpp>

using namespace situ;

void mistake(const Tensor<float, Cuda<0>>& x) {
#ifdef SITU_CONTROL
  auto graph = capture<Cuda<0>>([](const Tensor<float, Cuda<0>>& a) { return sum(a); }, x);
  Tensor<float, Cpu> total = graph(x).to<Cpu>();
#else
  auto graph = capture<Cuda<0>>([](const Tensor<float, Cuda<0>>& a) { return sum(a).to<Cpu>(); }, x);
#endif
}

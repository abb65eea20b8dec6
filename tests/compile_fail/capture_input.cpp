// SPDX-License-Identifier: Apache-2.0
// An input of a captured function on another device.
// kind: a captured function on another device
// first: (?=.*an_input_to_capture_lives_on)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<0>)
#include <situ/graph.hpp>
#include <situ/situ.hpp>

using namespace situ;

void mistake(const Tensor<float, Cpu>& x) {
#ifdef SITU_CONTROL
  auto graph = capture<Cuda<0>>([](const auto& a) { return a + 1.f; }, x.to<Cuda<0>>());
#else
  auto graph = capture<Cuda<0>>([](const auto& a) { return a + 1.f; }, x);
#endif
}

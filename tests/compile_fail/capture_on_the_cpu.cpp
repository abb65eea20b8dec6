// SPDX-License-Identifier: Apache-2.0
// A graph of work on the CPU, which has none.
// first: (?=.*a_graph_holds_work_of_a_GPU_only)(?=.*fix_call_the_function)(?=.*\bCpu\b)
#include <situ/graph.hpp>
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Tensor<float, Cuda<0>>& x) {
  auto graph = capture<Cuda<0>>([](const auto& a) { return a + 1.f; }, x);
}
#else
void mistake(const Tensor<float, Cpu>& x) {
  auto graph = capture<Cpu>([](const auto& a) { return a + 1.f; }, x);
}
#endif

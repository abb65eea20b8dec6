// SPDX-License-Identifier: Apache-2.0
// A number as an input of a captured function: every call would have the same.
// first: (?=.*a_number_is_not_an_input)(?=.*fix_call_full)
#include <situ/graph.hpp>
#include <situ/situ.hpp>

using namespace situ;

void mistake(const Tensor<float, Cuda<0>>& x) {
  const auto f = [](const auto& a, const auto& by) { return a * by; };
#ifdef SITU_CONTROL
  auto graph = capture<Cuda<0>>(f, x, full({}, 0.5f, gpu<0>));
#else
  auto graph = capture<Cuda<0>>(f, x, 0.5f);
#endif
}

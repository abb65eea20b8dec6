// SPDX-License-Identifier: Apache-2.0
// A module as an input of a captured function: its tensors would be constants that it cannot change.
// first: (?=.*an_input_of_a_captured_function_is_a_tensor)(?=.*fix_call_carry_for_a_module)
#include <situ/graph.hpp>
#include <situ/nn.hpp>
#include <situ/situ.hpp>

using namespace situ;

void mistake(const nn::BatchNorm<float, Cuda<0>>& norm, const Tensor<float, Cuda<0>>& x) {
  const auto f = [](auto& layer, const auto& a) { return layer(a).value(); };
#ifdef SITU_CONTROL
  auto graph = capture<Cuda<0>>(f, carry(norm), x);
#else
  auto graph = capture<Cuda<0>>(f, norm, x);
#endif
}

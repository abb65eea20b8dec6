// SPDX-License-Identifier: Apache-2.0
// prelu: its weight is learned, so it is a tensor; a number is leaky_relu's.
// first: the_weight_of_prelu_is_a_tensor::fix_call_leaky_relu_or_full
// first[clang]: fix_call_leaky_relu_or_full
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/composed_activation.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  return leaky_relu(x, 0.25f) + prelu(x, full({1}, 0.25f));
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return prelu(x, 0.25f);
}
#endif

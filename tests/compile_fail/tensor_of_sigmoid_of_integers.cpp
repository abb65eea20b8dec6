// SPDX-License-Identifier: Apache-2.0
// The error of a function is one error where a tensor is made of it.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*Sigmoid)(?=.*\bint)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/activation.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Tensor<int, Cpu>& x) {
  Tensor y = sigmoid(cast<double>(x));
}
#else
void mistake(const Tensor<int, Cpu>& x) {
  Tensor y = sigmoid(x);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// A softmax needs floating elements.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*Softmax)(?=.*\bint)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/softmax.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Tensor<int, Cpu>& x) {
  Tensor y = softmax(cast<float>(x));
}
#else
void mistake(const Tensor<int, Cpu>& x) {
  Tensor y = softmax(x);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// One element takes no tensor.
// first: (?=.*a_tensor_is_not_one_element)(?=.*fix_call_dot_item)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cpu>& x, const Tensor<float, Cpu>& y) {
  x.at(0, 1) = y.item();
}
#else
void mistake(Tensor<float, Cpu>& x, const Tensor<float, Cpu>& y) {
  x.at(0, 1) = y;
}
#endif

// SPDX-License-Identifier: Apache-2.0
// A scalar is not a tensor.
// first: Tensor
// first[clang]: attempt to use a deleted function
// within: a_scalar_is_not_a_tensor
// within: fix_call_full
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cpu>& x) {
  x.at(range(0, 3)) = 1;
}
#else
void mistake(Tensor<float, Cpu>& x) {
  x = 1;
}
#endif

// SPDX-License-Identifier: Apache-2.0
// `copy` moves elements; it does not convert them.
// first: (?=.*copy_does_not_convert_elements)(?=.*fix_call_cast)(?=.*float)(?=.*double)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#include <situ/tensor/copy.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Tensor<float, Cpu>& x, Tensor<double, Cuda<1>>& w) {
  copy(cast<double>(x), w);
}
#else
void mistake(const Tensor<float, Cpu>& x, Tensor<double, Cuda<1>>& w) {
  copy(x, w);
}
#endif

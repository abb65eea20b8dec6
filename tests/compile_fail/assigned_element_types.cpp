// SPDX-License-Identifier: Apache-2.0
// `=` of element types that differ.
// first: (?=.*float)(?=.*double)
// within: element_types_differ
// within: fix_call_cast
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cpu>& x, const Tensor<double, Cpu>& w) {
  x = cast<float>(w);
}
#else
void mistake(Tensor<float, Cpu>& x, const Tensor<double, Cpu>& w) {
  x = w;
}
#endif

// SPDX-License-Identifier: Apache-2.0
// `=` of a part and an expression of another element type.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*float)(?=.*double)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cpu>& x, const Tensor<double, Cpu>& w) {
  x.at(0, range(0, 2)) = cast<float>(w * w);
}
#else
void mistake(Tensor<float, Cpu>& x, const Tensor<double, Cpu>& w) {
  x.at(0, range(0, 2)) = w * w;
}
#endif

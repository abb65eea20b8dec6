// SPDX-License-Identifier: Apache-2.0
// A floating scalar does not fit integers in place.
// first: (?=.*scalar_does_not_fit_elements)(?=.*fix_cast_the_scalar_or_the_tensor)(?=.*\bint)(?=.*double)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<int, Cpu>& x) {
  x.at(0, range(0, 2)) = 2;
}
#else
void mistake(Tensor<int, Cpu>& x) {
  x.at(0, range(0, 2)) = 1.5;
}
#endif

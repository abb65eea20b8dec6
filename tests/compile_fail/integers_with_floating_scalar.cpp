// SPDX-License-Identifier: Apache-2.0
// A floating scalar would change the elements of an integer tensor.
// kind: a scalar that does not fit the elements
// first: (?=.*scalar_does_not_fit_elements)(?=.*fix_cast_the_scalar_or_the_tensor)(?=.*\bint)(?=.*double)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int, Cpu>& x) {
  return cast<float>(x) + 1.5;
}
#else
auto mistake(const Tensor<int, Cpu>& x) {
  return x + 1.5;
}
#endif

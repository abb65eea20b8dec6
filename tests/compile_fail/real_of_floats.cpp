// SPDX-License-Identifier: Apache-2.0
// Real elements have no parts.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*Real)
#include <situ/complex.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x) {
  return Tensor(x * 1);
}
#else
auto mistake(const Tensor<float>& x) {
  return Tensor(real(x));
}
#endif

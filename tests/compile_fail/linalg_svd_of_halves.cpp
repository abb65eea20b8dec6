// SPDX-License-Identifier: Apache-2.0
// There are no singular values of 16-bit floats.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*(Svd|SVD|SingularValue))
#include <situ/linalg.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float16>& a) {
  return svd(cast<float>(a));
}
#else
auto mistake(const Tensor<float16>& a) {
  return svd(a);
}
#endif

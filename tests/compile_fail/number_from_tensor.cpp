// SPDX-License-Identifier: Apache-2.0
// A number from a tensor of one element: the text is the compiler's own, see docs/errors.md.
// first: (?=.*Tensor<)(?=.*float)(.*cannot convert|.*no viable conversion|.*no suitable conversion)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
float mistake(const Tensor<float>& a) {
  float s = sum(a).item();
  return s;
}
#else
float mistake(const Tensor<float>& a) {
  float s = sum(a);
  return s;
}
#endif

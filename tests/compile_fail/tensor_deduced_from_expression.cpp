// SPDX-License-Identifier: Apache-2.0
// An expression given to a function that deduces a tensor: the type's name says what it is, see docs/errors.md.
// first: (?=.*no (matching|instance).*twice)
// within: (?i)lazy_?until_?eval
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto twice(const TensorLike auto& x) {
  return eval(x * 2);
}
Tensor<float> mistake(const Tensor<float>& a) {
  return twice(a + 1);
}
#else
template <Device D>
Tensor<float, D> twice(const Tensor<float, D>& x) {
  return x * 2;
}
Tensor<float> mistake(const Tensor<float>& a) {
  return twice(a + 1);
}
#endif

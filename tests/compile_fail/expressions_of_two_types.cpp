// SPDX-License-Identifier: Apache-2.0
// One of two expressions, whose types differ: the types' names say what they are, see docs/errors.md.
// first: (?i)(lazy_?until_?eval|operand types are incompatible)
// within: (?i)lazy_?until_?eval
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
Tensor<float> mistake(const Tensor<float>& a, bool c) {
  return c ? eval(a + 1) : eval(a * 2);
}
#else
Tensor<float> mistake(const Tensor<float>& a, bool c) {
  return c ? a + 1 : a * 2;
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Writing to what x(i, j) reads: the text is the compiler's own, see docs/errors.md.
// first: (lvalue required|not assignable|must be a modifiable lvalue)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float>& a) {
  a.at(0, 1) = 3;
}
#else
void mistake(Tensor<float>& a) {
  a(0, 1) = 3;
}
#endif

// SPDX-License-Identifier: Apache-2.0
// The largest of complex numbers, and where it is.
// first: (?=.*complex_numbers_have_no_order)(?=.*fix_call_real_or_abs)
// within: (?s)(error[^\n]*complex_numbers_have_no_order.*){2}
// lines: 25
#include <situ/complex.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Tensor<std::complex<float>>& z) {
  static_cast<void>(max(abs(z)));
  static_cast<void>(argmax(abs(z), 0));
}
#else
void mistake(const Tensor<std::complex<float>>& z) {
  static_cast<void>(max(z));
  static_cast<void>(argmax(z, 0));
}
#endif
